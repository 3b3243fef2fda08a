import type { ReadPad } from './pad-watch.ts';

/** A gamepad as the browser shows it: `down` are the pressed buttons. */
export function readPad(own: Partial<Omit<ReadPad, 'buttons'>> = {}, down: readonly number[] = []): ReadPad {
  return {
    index: 0,
    id: 'Pad (STANDARD GAMEPAD)',
    connected: true,
    mapping: 'standard',
    axes: [0, 0, 0, 0],
    buttons: Array.from({ length: 17 }, (_, index) => ({
      pressed: down.includes(index),
      value: down.includes(index) ? 1 : 0,
    })),
    ...own,
  };
}
