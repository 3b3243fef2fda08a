import { formatFixed } from '../format-number.ts';
import type { Text } from '../text.ts';
import { formatTime } from '../timing/age.ts';
import { localTime } from '../timing/local-time.ts';
import type { PlotChannel } from './plot-channel.ts';
import type { LegendRow, LegendTimes } from './plot-legend.ts';
import type { PictureWords } from './plot-picture.ts';
import type { PlotView } from './plot-view.ts';

/** Name of an exported file: `Speed-of-left-2026-11-21T09-42-07Z.csv`. @param at machine time at the right edge, ms */
export function fileName(label: string, at: number, ending: 'csv' | 'png'): string {
  const time = new Date(at).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${label.replace(/[^\p{L}\p{N}_-]+/gu, '-')}-${time}Z.${ending}`;
}

/** Units of the numbers at an axis, each once. */
export function axisUnits(channels: readonly PlotChannel[], side: 'left' | 'right'): string {
  const units = channels.filter(({ axis = 'left' }) => axis === side).map(({ unit }) => unit);
  return [...new Set(units)].filter((unit) => unit !== '').join(', ');
}

/** `UTC+01:00`. */
export function zoneOf(at: number): string {
  const minutes = -new Date(at).getTimezoneOffset();
  const pad = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `UTC${minutes < 0 ? '−' : '+'}${pad(Math.abs(minutes) / 60)}:${pad(Math.abs(minutes) % 60)}`;
}

/** Seconds from cursor A to B, `1.200`; '' without both. */
export function lengthWords(a: number | undefined, b: number | undefined): string {
  return a === undefined || b === undefined ? '' : formatFixed((b - a) / 1_000, 3);
}

/** What is read aloud when the keys have set a cursor; '' if they have removed it. @param at its time, ms */
export function cursorWords(t: Text, name: 'a' | 'b', at: number | undefined): string {
  return at === undefined ? '' : t('plot.cursorAt', { name: t(`plot.column.${name}`), time: formatTime(at) });
}

/** What is read aloud of a time: the values of all lines. @param time in words */
export function readingWords(t: Text, time: string, legend: readonly LegendRow[]): string {
  const values = legend.map((row) => `${row.label} ${row.value ?? t('plot.noValue')} ${row.unit}`);
  return [time, ...values].join(', ');
}

/** What a picture of a plot says: see {@link PictureWords}. */
export function pictureWords(
  t: Text,
  label: string,
  channels: readonly PlotChannel[],
  { to, windowMs }: PlotView,
  { at, a, b }: LegendTimes,
): PictureWords {
  const hasCursors = a !== undefined || b !== undefined;
  const length = lengthWords(a, b);
  return {
    title: label,
    time: t('plot.range', { from: localTime(to - windowMs), to: localTime(to), zone: zoneOf(to) }),
    leftUnit: axisUnits(channels, 'left'),
    rightUnit: axisUnits(channels, 'right'),
    headings: [
      at === undefined ? t('plot.now') : formatTime(at),
      hasCursors ? t('plot.column.a') : '',
      hasCursors ? t('plot.column.b') : '',
      length === '' ? '' : t('plot.column.difference', { length }),
      length === '' ? '' : t('plot.column.perSecond'),
    ],
  };
}
