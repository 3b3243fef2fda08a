import type { PlotBuffer } from './plot-buffer.ts';
import { lineStyle, plotNumber, type PlotChannel } from './plot-channel.ts';
import { changeBetween, valueAt } from './plot-reading.ts';

/** A line of a plot as its legend shows it, in words. A value that is missing is undefined. */
export interface LegendRow {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  /** 1 to 4, as in `--plot1`. */
  readonly colour: number;
  readonly dash: readonly number[];
  /** The value that is read, or the latest one. */
  readonly value: string | undefined;
  readonly a: string | undefined;
  readonly b: string | undefined;
  readonly difference: string | undefined;
  readonly perSecond: string | undefined;
}

/** The times whose values are shown, machine time in ms. `at` is undefined for the latest value. */
export interface LegendTimes {
  readonly at: number | undefined;
  readonly a: number | undefined;
  readonly b: number | undefined;
}

/** The legend of a plot. */
export function legendRows(
  channels: readonly PlotChannel[],
  bufferOf: (name: string) => PlotBuffer,
  { at, a, b }: LegendTimes,
): LegendRow[] {
  const words = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : plotNumber(value);
  return channels.map(({ name, label, unit }, index) => {
    const buffer = bufferOf(name);
    const of = (time: number | undefined): number | undefined =>
      time === undefined ? undefined : valueAt(buffer, time);
    const change = a === undefined || b === undefined ? undefined : changeBetween(of(a), of(b), b - a);
    return {
      name,
      label,
      unit,
      ...lineStyle(index),
      value: words(at === undefined ? buffer.last?.value : of(at)),
      a: words(of(a)),
      b: words(of(b)),
      difference: words(change?.difference),
      perSecond: words(change?.perSecond),
    };
  });
}
