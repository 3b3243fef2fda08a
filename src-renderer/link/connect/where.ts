/** What serves this page. */
export interface Where {
  /** A hub without a machine: the page is signed in to, and a machine is chosen. */
  readonly isHub: boolean;
}

const limitMs = 5_000;

/** Asks what serves the page. Whoever does not say is a machine: an older one, or a folder of files. */
export async function findWhere(pageUrl: string): Promise<Where> {
  try {
    const response = await fetch(new URL('/about.json', pageUrl), {
      cache: 'no-store',
      signal: AbortSignal.timeout(limitMs),
    });
    if (!response.ok) return { isHub: false };
    const said = (await response.json()) as { readonly kind?: unknown };
    return { isHub: said.kind === 'hub' };
  } catch {
    // Nobody there, or no JSON: the link says what is wrong with the connection.
    return { isHub: false };
  }
}
