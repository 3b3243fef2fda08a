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

/** Keeps a token for this tab only; undefined forgets it. */
export function keepToken(token: string | undefined, storage: () => TokenSurroundings['sessionStorage']): void {
  keepText(storage, STORAGE_KEY, token ?? null);
}
