/*
 * Texts that the page keeps in the browser's storage. A browser may forbid that by
 * throwing on access to the storage; then nothing is kept and the page still works.
 */

/** The text kept under a key; null if there is none or storage is forbidden. */
export function keptText(storage: () => Pick<Storage, 'getItem'>, key: string): string | null {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text; null removes it. Returns whether that worked: the storage may be full. */
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
