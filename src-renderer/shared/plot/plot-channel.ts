import { decimalsFor, formatNumber } from '../format-number.ts';

/** One line of a plot. */
export interface PlotChannel {
  /** Of the feed's channel. */
  readonly name: string;
  /** What the line is, for people. */
  readonly label: string;
  readonly unit: string;
  /** Which of the two scales it is measured on; left where nothing is said. */
  readonly axis?: 'left' | 'right';
  /** Holds its value until the next one. */
  readonly isStepped?: boolean;
}

const colours = 4;
const dashes: readonly (readonly number[])[] = [[], [5, 4], [1.5, 3], [9, 3, 2, 3]];

/** How a line is told apart: colour and dashes together, 16 ways, so that neighbours differ in both. */
export interface LineStyle {
  /** 1 to 4, as in `--plot1`. */
  readonly colour: number;
  /** Lengths of dash and space, px; none is a whole line. */
  readonly dash: readonly number[];
}

export function lineStyle(index: number): LineStyle {
  const round = Math.floor(index / colours);
  return { colour: (index % colours) + 1, dash: dashes[(index + round) % dashes.length] ?? [] };
}

/** A number as a plot says it: four digits that count, of a small one three. */
export function plotNumber(value: number): string {
  const size = Math.abs(value);
  return formatNumber(value, size >= 1_000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : decimalsFor(value));
}
