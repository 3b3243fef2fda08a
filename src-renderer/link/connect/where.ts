/** What serves this page. */
export interface PageServer {
  /** A hub without a machine: people sign in and choose a machine. */
  readonly isHub: boolean;
}

const TIMEOUT_MS = 5_000;

/** Asks what serves the page. A server that does not say counts as a machine: an older one, or a file server. */
export async function findPageServer(pageUrl: string): Promise<PageServer> {
  try {
    const response = await fetch(new URL('/about.json', pageUrl), {
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) return { isHub: false };
    const about = (await response.json()) as { readonly kind?: unknown };
    return { isHub: about.kind === 'hub' };
  } catch {
    // No answer, or no JSON: the link says what is wrong with the connection.
    return { isHub: false };
  }
}
