import { decimalsFor, formatNumber } from '../format-number.ts';

/** One line of a plot. */
export interface PlotChannel {
  /** Name of the feed's channel. */
  readonly name: string;
  /** Name of the line for people. */
  readonly label: string;
  readonly unit: string;
  /** Which of the two scales it uses; left by default. */
  readonly axis?: 'left' | 'right';
  /** Whether a value holds until the next one. */
  readonly isStepped?: boolean;
}

const colours = 4;
const dashes: readonly (readonly number[])[] = [[], [5, 4], [1.5, 3], [9, 3, 2, 3]];

/** Colour and dashes of a line: 16 combinations, and neighbours differ in both. */
export interface LineStyle {
  /** 1 to 4, as in `--plot1`. */
  readonly colour: number;
  /** Lengths of dashes and gaps, px; empty for a solid line. */
  readonly dash: readonly number[];
}

export function lineStyle(index: number): LineStyle {
  const round = Math.floor(index / colours);
  return { colour: (index % colours) + 1, dash: dashes[(index + round) % dashes.length] ?? [] };
}

/** Formats a number of a plot: about four significant digits, three for a small number. */
export function plotNumber(value: number): string {
  const size = Math.abs(value);
  return formatNumber(value, size >= 1_000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : decimalsFor(value));
}
