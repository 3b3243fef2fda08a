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

/** Made once: a formatter costs far more than what it formats. */
const formats = [0, 1, 2, 3].map((digits) => new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }));

/** A number as a plot says it: four digits that count. */
export function plotNumber(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 1_000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  const text = formats[digits]?.format(value) ?? String(value);
  return text === '-0' ? '0' : text.replace('-', '−');
}
