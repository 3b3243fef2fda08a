import type { PlotBuffer } from '../../../../shared/plot/plot-buffer.ts';
import type { PlotChannel } from '../../../../shared/plot/plot-channel.ts';
import type { RecordedChannel } from '../file/recording.ts';

/** How all channels can be arranged at once. */
export const arrangements = ['each', 'unit', 'resource', 'none'] as const;
export type ArrangementKind = (typeof arrangements)[number];

/** The number of the plot that each channel is drawn in, from 1; channels that are not drawn are missing. */
export type Arrangement = ReadonlyMap<string, number>;

/** More plots than these are not needed to see what a recording is about. */
const FIRST_PLOTS = 6;
/** So many lines can be told apart. */
export const MAX_LINES = 16;

/** A plot of a stack. */
export interface StackedPlot {
  readonly number: number;
  readonly channels: readonly PlotChannel[];
}

/** What is drawn at first: the first channels that change, each alone; or the first ones if none does. */
export function firstArrangement(channels: readonly RecordedChannel[]): Arrangement {
  const moving = channels.filter(({ buffer }) => hasChange(buffer));
  return arranged((moving.length > 0 ? moving : channels).slice(0, FIRST_PLOTS), 'each');
}

/** Whether two of its values differ. Most channels tell with their first ones. */
function hasChange(buffer: PlotBuffer): boolean {
  let first: number | undefined;
  for (let index = 0; index < buffer.length; index++) {
    const value = buffer.valueAt(index);
    if (Number.isNaN(value)) continue;
    first ??= value;
    if (value !== first) return true;
  }
  return false;
}

/** Arranges channels: each alone, those of a unit or of a resource together, or none. */
export function arranged(channels: readonly RecordedChannel[], kind: ArrangementKind): Arrangement {
  if (kind === 'none') return new Map();
  const keyOf = ({ name, unit, resource }: RecordedChannel): string =>
    kind === 'each' ? name : kind === 'unit' ? `unit ${unit === '' ? name : unit}` : resource;
  /** By key: its plot, and how many lines are in it. */
  const plots = new Map<string, { number: number; lines: number }>();
  const numbers = new Map<string, number>();
  let count = 0;
  for (const channel of channels) {
    const key = keyOf(channel);
    let plot = plots.get(key);
    if (plot === undefined || plot.lines === MAX_LINES) plots.set(key, (plot = { number: ++count, lines: 0 }));
    plot.lines += 1;
    numbers.set(channel.name, plot.number);
  }
  return numbers;
}

/** The plots of an arrangement, by their numbers. The first unit of a plot is at its left axis, others are at the right. */
export function plotsOf(channels: readonly RecordedChannel[], arrangement: Arrangement): readonly StackedPlot[] {
  const plots = new Map<number, PlotChannel[]>();
  for (const { name, unit } of channels) {
    const number = arrangement.get(name);
    if (number === undefined) continue;
    const lines = plots.get(number) ?? [];
    plots.set(number, lines);
    const axis = lines.length === 0 || lines[0]?.unit === unit ? 'left' : 'right';
    lines.push({ name, label: name, unit, axis });
  }
  return [...plots].sort(([one], [other]) => one - other).map(([number, lines]) => ({ number, channels: lines }));
}
