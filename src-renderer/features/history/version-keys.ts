interface ListParts {
  /** Number of versions, read or not. */
  readonly count: () => number;
  /** Number of the version at an index; undefined if it has not been read. */
  readonly itemAt: (index: number) => number | undefined;
  /** Reads up to an index. */
  readonly load: (index: number) => Promise<void>;
  /** Index of the active version; -1 if there is none. */
  readonly from: () => number;
  /** Number of rows that fit on the screen. */
  readonly screenLines: () => number;
  /** Scrolls a row into view. */
  readonly show: (index: number) => unknown;
  /** Shows the versions that are newer than the first row. */
  readonly showNew: () => void;
  /** Makes a version the active one. */
  readonly goTo: (number: number | undefined) => void;
}

export interface VersionKeys {
  /** Moves as a key says, once that version has been read. @returns whether the key moves in this list */
  press(key: string): boolean;
}

/** The keys that move through the list: arrows, Page Up and Down, Home, End. */
export function useVersionKeys(parts: ListParts): VersionKeys {
  async function goTo(index: number): Promise<void> {
    // Above the first row are the versions that were held back.
    if (index < 0) parts.showNew();
    const target = Math.max(0, Math.min(index, parts.count() - 1));
    if (parts.itemAt(target) === undefined) await parts.load(target);
    parts.goTo(parts.itemAt(target));
    parts.show(target);
  }

  return {
    press(key) {
      const from = parts.from();
      const targets: Readonly<Record<string, number>> = {
        ArrowUp: Math.max(from, 0) - 1,
        ArrowDown: from + 1,
        PageUp: from - parts.screenLines(),
        PageDown: from + parts.screenLines(),
        Home: -1,
        End: parts.count() - 1,
      };
      const target = targets[key];
      if (target === undefined || parts.count() === 0) return false;
      void goTo(target);
      return true;
    },
  };
}
