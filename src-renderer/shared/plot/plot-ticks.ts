import { formatFixed, formatNumber } from '../format-number.ts';
import { formatTime } from '../timing/age.ts';
import { ticksOf, type Scale } from './plot-scale.ts';

/** A number with more decimals, or of more digits, is written with a power of ten. */
const MAX_DECIMALS = 6;
const MAX_PLAIN = 1e9;

/** Distances of the ticks of a time axis, ms. */
const timeSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
] as const;

/** The numbers at the lines of a scale, each exact: with as many decimals as the distance of the lines needs. */
export function tickNumbers(scale: Scale): string[] {
  // Steps are 1, 2 or 5 times this power of ten.
  const power = Math.floor(Math.log10(scale.step) + 1e-9);
  const size = Math.max(Math.abs(scale.min), Math.abs(scale.max));
  return ticksOf(scale).map((value) => {
    if (value === 0) return '0';
    if (-power > MAX_DECIMALS || size >= MAX_PLAIN) return withPower(value, power);
    const decimals = Math.max(0, -power);
    // Without the zeros at the end that only the other lines need.
    const shortest = Number(value.toFixed(decimals));
    return Number.isInteger(shortest) ? formatNumber(shortest, 0) : formatFixed(value, decimals);
  });
}

/** `0.00000125` is `1.25e−6`. */
function withPower(value: number, power: number): string {
  const ownPower = Math.floor(Math.log10(Math.abs(value)) + 1e-12);
  const [mantissa = '', exponent = ''] = value.toExponential(Math.max(0, ownPower - power)).split('e');
  return `${mantissa}e${exponent.replace('+', '')}`.replaceAll('-', '−');
}

/** A tick of a time axis: machine time in ms, and its label. */
export interface TimeTick {
  readonly at: number;
  readonly label: string;
}

/**
 * The ticks of an axis of clock time, at round times and with as many decimals as these need.
 * @param most the number of labels that there is room for
 */
export function clockTicks(from: number, to: number, most: number): TimeTick[] {
  const lengthMs = to - from;
  const step = timeSteps.find((each) => lengthMs / each <= Math.max(1, most)) ?? lengthMs;
  const length = step >= 60_000 ? 5 : step >= 1_000 ? 8 : step >= 100 ? 10 : step >= 10 ? 11 : 12;
  const ticks: TimeTick[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    ticks.push({ at, label: formatTime(at).slice(0, length) });
  }
  return ticks;
}
