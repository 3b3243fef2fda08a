/*
 * Texts that this browser keeps for the page. A browser may forbid that, by
 * throwing at the very mention of a storage: then nothing is kept and the page
 * works all the same.
 */

/** What is kept under a key; null where there is nothing, or nothing may be kept. */
export function keptText(storage: () => Pick<Storage, 'getItem'>, key: string): string | null {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text, or forgets what was kept where it is null. Returns whether that worked: the storage may be full. */
export function keepText(
  storage: () => Pick<Storage, 'setItem' | 'removeItem'>,
  key: string,
  text: string | null,
): boolean {
  try {
    if (text === null) storage().removeItem(key);
    else storage().setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
