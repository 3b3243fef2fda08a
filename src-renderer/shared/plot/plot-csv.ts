import { csvLine } from '../files/csv-line.ts';
import type { PlotBuffer } from './plot-buffer.ts';
import type { PlotChannel } from './plot-channel.ts';
import type { PlotView } from './plot-view.ts';
import { valueAt } from './plot-reading.ts';

/** A line of the table: its channel, its samples, and the next of them to be written. */
interface Column {
  readonly channel: PlotChannel;
  readonly buffer: PlotBuffer;
  index: number;
}

/**
 * All samples of a view as a table (RFC 4180): the time in UTC, seconds since the first row, and a column for each
 * channel. A cell is empty where the channel has no sample at that time. Of a value that holds until the next one only
 * changes are kept, so the first row has what it held.
 */
export function plotCsv(
  channels: readonly PlotChannel[],
  bufferOf: (name: string) => PlotBuffer,
  view: PlotView,
): string {
  return [...plotCsvLines(channels, bufferOf, view)].join('');
}

/** The same line by line, for a table that is too long to be written at once. */
export function* plotCsvLines(
  channels: readonly PlotChannel[],
  bufferOf: (name: string) => PlotBuffer,
  { to, windowMs }: PlotView,
): Generator<string> {
  const from = to - windowMs;
  const columns = channels.map((channel): Column => {
    const buffer = bufferOf(channel.name);
    return { channel, buffer, index: buffer.indexFrom(from) };
  });
  yield csvLine(['time', 'seconds', ...columns.map(({ channel }) => headingOf(channel))]);
  let first: number | undefined;
  for (let at = nextTime(columns, to); at !== undefined; at = nextTime(columns, to)) {
    const isFirst = first === undefined;
    first ??= at;
    const seconds = Number(((at - first) / 1_000).toFixed(6));
    yield csvLine([
      new Date(at).toISOString(),
      String(seconds),
      ...columns.map((column) => takeCell(column, at, isFirst)),
    ]);
  }
}

function headingOf({ label, unit }: PlotChannel): string {
  return unit === '' ? label : `${label} (${unit})`;
}

/** The earliest time of the samples that are not written yet, up to `to`. Gaps have no row. */
function nextTime(columns: readonly Column[], to: number): number | undefined {
  let earliest = Number.POSITIVE_INFINITY;
  for (const column of columns) {
    const { buffer } = column;
    while (column.index < buffer.length && Number.isNaN(buffer.valueAt(column.index))) column.index += 1;
    if (column.index < buffer.length) earliest = Math.min(earliest, buffer.timeAt(column.index));
  }
  return earliest <= to ? earliest : undefined;
}

function takeCell(column: Column, at: number, isFirst: boolean): string {
  const { buffer, channel } = column;
  if (column.index < buffer.length && buffer.timeAt(column.index) === at) {
    return String(buffer.valueAt(column.index++));
  }
  const held = isFirst && channel.isStepped === true ? valueAt(buffer, at) : undefined;
  return held === undefined ? '' : String(held);
}
