import { defineStore } from 'pinia';
import { reactive } from 'vue';

/** The pins a person asked for, by board: kept while the page lives, so that a look elsewhere loses none. */
export const useBoardPins = defineStore('board-pins', () => {
  const pins = reactive(new Map<string, string[]>());

  function add(board: string, pin: string): void {
    const known = pins.get(board) ?? [];
    if (pin !== '' && !known.includes(pin)) pins.set(board, [...known, pin]);
  }

  function remove(board: string, pin: string): void {
    pins.set(
      board,
      (pins.get(board) ?? []).filter((each) => each !== pin),
    );
  }

  return { of: (board: string): readonly string[] => pins.get(board) ?? [], add, remove };
});
