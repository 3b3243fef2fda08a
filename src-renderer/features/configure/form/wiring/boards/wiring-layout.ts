import type { WireKey } from '../driver-style.ts';
import { driverBoards, type DriverBoard, type TieSource } from './driver-boards.ts';
import type { Wire, Wiring } from './driver-wires.ts';

/** Sizes of the picture, in units of its view box; a text of 11 is as on the screen. */
export const sizes = { width: 320, row: 26, head: 30, left: 86, box: 152, boxEnd: 260, chip: 20 } as const;
/** Where the wire of a pin without a terminal ends. */
const NOWHERE = 132;
/** Where a wire to two terminals divides. */
const FORK = 134;

/** A wire as it is drawn, from the label at its left end. */
export interface DrawnWire {
  readonly wire: Wire;
  readonly y: number;
  readonly path: string;
  /** Whether it ends at no terminal. */
  readonly isAstray: boolean;
}

export interface DrawnTie {
  readonly source: TieSource;
  readonly y: number;
  /** Nothing is drawn for a jumper, or a terminal that stays open. */
  readonly hasWire: boolean;
}

export interface DrawnTerminal {
  readonly name: string;
  readonly y: number;
}

export interface WiringLayout {
  readonly height: number;
  readonly boxHeight: number;
  readonly inputs: readonly DrawnTerminal[];
  readonly outputs: readonly (DrawnTerminal & { readonly to: 'motor' | 'plus' | 'minus' })[];
  readonly wires: readonly DrawnWire[];
  readonly ties: readonly DrawnTie[];
  /** Height of the middle of the motor, and of its supply. */
  readonly motorY: number;
  readonly supplyY: number;
}

/** Places a driver's terminals in rows, and each wire in the row of its terminal, so that no wires cross. */
export function wiringLayout(board: DriverBoard, { wires, ties }: Wiring): WiringLayout {
  const { inputs, power } = driverBoards[board];
  const rowY = (row: number): number => sizes.head + row * sizes.row + sizes.row / 2;
  const yOf = (terminal: string): number => rowY(inputs.indexOf(terminal));
  const rows = Math.max(inputs.length, power.length);
  const boxHeight = sizes.head + rows * sizes.row + 6;
  const astray = wires.filter(({ terminals }) => terminals.length === 0).map(({ key }) => key);
  const astrayY = (key: WireKey): number => boxHeight + 4 + astray.indexOf(key) * sizes.row + sizes.row / 2;
  const outputs = power.map(({ terminal, to }, row) => ({ name: terminal, to, y: rowY(row) }));
  const middle = (kinds: readonly string[]): number => {
    const own = outputs.filter(({ to }) => kinds.includes(to));
    return own.reduce((sum, { y }) => sum + y, 0) / own.length;
  };
  return {
    height: boxHeight + (astray.length === 0 ? 2 : 8 + astray.length * sizes.row),
    boxHeight,
    inputs: inputs.map((name) => ({ name, y: yOf(name) })),
    outputs,
    wires: wires.map((wire) => {
      const ends = wire.terminals.map(yOf);
      const isAstray = ends.length === 0;
      const y = isAstray ? astrayY(wire.key) : ends.reduce((sum, end) => sum + end, 0) / ends.length;
      return { wire, y, isAstray, path: pathOf(y, ends) };
    }),
    ties: ties.map(({ source, terminal }) => ({
      source,
      y: yOf(terminal),
      hasWire: source !== 'jumper' && source !== 'open',
    })),
    motorY: middle(['motor']),
    supplyY: middle(['plus', 'minus']),
  };
}

function pathOf(y: number, ends: readonly number[]): string {
  if (ends.length === 0) return `M${sizes.left} ${y}H${NOWHERE}m-4-4 8 8m-8 0 8-8`;
  if (ends.length === 1) return `M${sizes.left} ${y}H${sizes.box}`;
  return `M${sizes.left} ${y}H${FORK}${ends.map((end) => `M${FORK} ${y}V${end}H${sizes.box}`).join('')}`;
}
