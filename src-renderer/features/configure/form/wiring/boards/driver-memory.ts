import { defineStore } from 'pinia';
import { reactive } from 'vue';
import { keepText, keptText } from '../../../../../shared/kept-text.ts';
import { driverBoardNames, type DriverBoard } from './driver-boards.ts';

const storageKey = 'armature.motor-drivers';

/** The driver board of each motor, by full name; stored in this browser, because nothing in the configuration is about it. */
export const useDriverBoards = defineStore('driver-boards', () => {
  const boards = reactive(new Map(parseDrivers(keptText(() => localStorage, storageKey))));
  return {
    of: (motor: string): DriverBoard | undefined => boards.get(motor),
    choose(motor: string, board: DriverBoard | undefined): void {
      if (board === undefined) boards.delete(motor);
      else boards.set(motor, board);
      keepText(() => localStorage, storageKey, boards.size === 0 ? null : JSON.stringify([...boards]));
    },
  };
});

/** Parses the stored choices. Invalid entries are left out: a browser may hold anything under our key. */
export function parseDrivers(text: string | null): (readonly [string, DriverBoard])[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(kept)) return [];
  return kept.flatMap((entry: unknown) => {
    const [motor, name] = Array.isArray(entry) ? (entry as unknown[]) : [];
    const board = driverBoardNames.find((one) => one === name);
    return typeof motor === 'string' && board !== undefined ? [[motor, board] as const] : [];
  });
}
