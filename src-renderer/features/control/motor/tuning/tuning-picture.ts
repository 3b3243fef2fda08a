import { niceScale, ticksOf, type Scale } from '../../../../shared/plot/plot-scale.ts';
import type { TuningSample } from './tuning-answer.ts';

/** Height and margins of the drawing, px. Its width is given by the layout. */
export const pictureHeight = 200;
const left = 46;
const right = 12;
const top = 10;
const bottom = 24;

/** Lines and axes of a measurement, in px of an SVG. `measured` and `model` are path data. */
export interface TuningPicture {
  readonly speed: Scale;
  readonly time: Scale;
  readonly measured: string;
  readonly model: string;
  readonly area: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
  readonly speedTicks: readonly { readonly value: number; readonly y: number }[];
  readonly timeTicks: readonly { readonly value: number; readonly x: number }[];
  x(sec: number): number;
  y(rpm: number): number;
}

/** @param width px; where it is too small for the axes, the drawing is wider */
export function tuningPicture(samples: readonly TuningSample[], width: number): TuningPicture {
  const speeds = samples.flatMap(({ rpm, modelRpm }) => [rpm, modelRpm]);
  const speed = niceScale(Math.min(0, ...speeds), Math.max(0, ...speeds));
  const time = { ...niceScale(0, samples.at(-1)?.sec ?? 1), max: samples.at(-1)?.sec ?? 1 };
  const area = { left, right: Math.max(left + 40, width - right), top, bottom: pictureHeight - bottom };
  const x = (sec: number): number => area.left + ((area.right - area.left) * (sec - time.min)) / (time.max - time.min);
  const y = (rpm: number): number =>
    area.bottom - ((area.bottom - area.top) * (rpm - speed.min)) / (speed.max - speed.min);
  const line = (of: (sample: TuningSample) => number): string =>
    samples.map((sample, index) => `${index === 0 ? 'M' : 'L'}${at(x(sample.sec))} ${at(y(of(sample)))}`).join('');
  return {
    speed,
    time,
    area,
    measured: line(({ rpm }) => rpm),
    model: line(({ modelRpm }) => modelRpm),
    speedTicks: ticksOf(speed).map((value) => ({ value, y: y(value) })),
    timeTicks: Array.from({ length: Math.floor(time.max / time.step + 1e-9) + 1 }, (_, index) => {
      const value = Number((index * time.step).toPrecision(12));
      return { value, x: x(value) };
    }),
    x,
    y,
  };
}

function at(px: number): string {
  return px.toFixed(1);
}
