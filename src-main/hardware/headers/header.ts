/** What is at a pin of a header: a line of its chip by offset, or a voltage. */
export type HeaderPin = { readonly offset: number } | { readonly supply: '3.3 V' | '5 V' | 'ground' };

/** A header of a single-board computer: which line is behind which pin. */
export interface Header {
  /** As attribute `header` of a board names it. */
  readonly name: string;
  /** As people say. */
  readonly title: string;
  /** Labels that the chip of its lines has, by computer. */
  readonly chipLabels: readonly string[];
  /** By the number of the pin. */
  readonly pins: ReadonlyMap<string, HeaderPin>;
  /** Other names that everybody uses for its lines (`GPIO17`): the offset. */
  readonly names: ReadonlyMap<string, number>;
  /**
   * Which channel of a PWM chip a line can carry: by what the chip is compatible with, then by offset. Whether it does
   * is up to the device tree (`pwm-of-line.ts`).
   */
  readonly pwmChannels: ReadonlyMap<string, ReadonlyMap<number, number>>;
  isOn(computer: ComputerIdentity): boolean;
}

/** The identity of a computer. */
export interface ComputerIdentity {
  /** `/proc/device-tree/model`, else the DMI name of the board; '' where neither is there. */
  readonly model: string;
  /** `/proc/device-tree/compatible`, the most specific first. */
  readonly compatible: readonly string[];
}

/**
 * Pins of a header with two rows.
 * @param supplies by what they carry
 * @param lines pin number to offset
 */
export function headerPins(
  supplies: Readonly<Record<'3.3 V' | '5 V' | 'ground', readonly number[]>>,
  lines: Readonly<Record<number, number>>,
): ReadonlyMap<string, HeaderPin> {
  const pins = new Map<string, HeaderPin>();
  for (const supply of ['3.3 V', '5 V', 'ground'] as const) {
    for (const pin of supplies[supply]) pins.set(String(pin), { supply });
  }
  for (const [pin, offset] of Object.entries(lines)) pins.set(pin, { offset });
  return pins;
}

/** Supplies of the 40 pins that the Raspberry Pi made usual. */
export const usualSupplies = {
  '3.3 V': [1, 17],
  '5 V': [2, 4],
  ground: [6, 9, 14, 20, 25, 30, 34, 39],
} as const;
