interface ListParts {
  /** Versions there are, read or not. */
  readonly count: () => number;
  /** Number of the version at a place; undefined where it is not read. */
  readonly itemAt: (index: number) => number | undefined;
  /** Reads on as far as a place. */
  readonly load: (index: number) => Promise<void>;
  /** Index that the keys go from; -1 where they are nowhere yet. */
  readonly from: () => number;
  /** Lines that fit on the screen. */
  readonly screenLines: () => number;
  /** Brings a line onto the screen. */
  readonly show: (index: number) => unknown;
  /** Shows what is newer than the first line. */
  readonly showNew: () => void;
  /** The keys are at this version now. */
  readonly goTo: (number: number | undefined) => void;
}

export interface VersionKeys {
  /** Goes where a key says, once that is read. @returns whether it was one of ours */
  press(key: string): boolean;
}

/** The keys that go through the list: arrows, Page Up and Down, Home, End. */
export function useVersionKeys(parts: ListParts): VersionKeys {
  async function goTo(index: number): Promise<void> {
    // Up from the first line there is what waits above it.
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
