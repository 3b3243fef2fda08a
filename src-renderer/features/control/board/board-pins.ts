import { defineStore } from 'pinia';
import { reactive } from 'vue';
import { keepText, keptText } from '../../../shared/kept-text.ts';

const storageKey = 'armature.board-pins';

/** The pins that the person added, by full name of the board; stored in this browser. */
export const useBoardPins = defineStore('board-pins', () => {
  const pins = reactive(new Map<string, readonly string[]>(parsePins(keptText(() => localStorage, storageKey))));

  function set(board: string, names: readonly string[]): void {
    if (names.length === 0) pins.delete(board);
    else pins.set(board, names);
    keepText(() => localStorage, storageKey, pins.size === 0 ? null : JSON.stringify([...pins]));
  }

  const of = (board: string): readonly string[] => pins.get(board) ?? [];
  return {
    of,
    add: (board: string, pin: string): void => {
      if (pin !== '' && !of(board).includes(pin)) set(board, [...of(board), pin]);
    },
    remove: (board: string, pin: string): void =>
      set(
        board,
        of(board).filter((each) => each !== pin),
      ),
  };
});

/** Parses the stored pins. Invalid entries are left out: a browser may hold anything under our key. */
export function parsePins(text: string | null): (readonly [string, readonly string[]])[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(kept)) return [];
  return kept.flatMap((entry: unknown) => {
    const [board, names] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof board !== 'string' || !Array.isArray(names)) return [];
    const good = names.filter((name): name is string => typeof name === 'string' && name !== '');
    return [[board, good] as const];
  });
}
