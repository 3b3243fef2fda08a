import { keepText, keptText } from '../../shared/kept-text.ts';

const STORAGE_KEY = 'armature.token';

/** The parts of `window` that are needed to find the token. */
export interface TokenSurroundings {
  readonly location: { readonly href: string };
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string): void };
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

/**
 * Takes the launch token from the page's address (`#token=...`, or
 * `?token=...`), keeps it for this tab, and removes it from the address bar, so
 * that it is in no history, bookmark or screenshot. Without a token in the address,
 * returns the one that was kept earlier, or undefined.
 */
export function takeLaunchToken(surroundings: TokenSurroundings): string | undefined {
  const { location, history } = surroundings;
  const storage = (): TokenSurroundings['sessionStorage'] => surroundings.sessionStorage;
  const url = new URL(location.href);
  const fragment = /^#(?:.*&)?token=([^&]*)/.exec(url.hash)?.[1];
  const token = fragment === undefined ? url.searchParams.get('token') : decodeURIComponent(fragment);
  if (token === null || token === '') return keptText(storage, STORAGE_KEY) ?? undefined;
  keepText(storage, STORAGE_KEY, token);
  url.searchParams.delete('token');
  if (fragment !== undefined) url.hash = '';
  history.replaceState(history.state, '', url.href);
  return token;
}

/** The token in a copied text: the line that the server printed, the address in it, or the token alone. */
export function tokenIn(text: string): string | undefined {
  const found = /[#?&]token=([\w.~%-]+)/.exec(text)?.[1] ?? /^\s*([\w-]{20,})\s*$/.exec(text)?.[1];
  try {
    return found === undefined ? undefined : decodeURIComponent(found);
  } catch {
    return undefined;
  }
}

/** Keeps a token for this tab only; undefined forgets it. */
export function keepToken(token: string | undefined, storage: () => TokenSurroundings['sessionStorage']): void {
  keepText(storage, STORAGE_KEY, token ?? null);
}
