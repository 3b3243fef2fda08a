import type { PlotBuffer } from './plot-buffer.ts';
import { extentOf, traceLine, type PathSink } from './plot-path.ts';
import { niceScale } from './plot-scale.ts';
import { columnsOf, frameOf } from './plot-strip.ts';

export interface SparkPicture {
  /** Path of the line, as in the attribute `d`; '' for none. */
  readonly path: string;
  /** Lowest and highest value that is shown; undefined for none. */
  readonly extent: { readonly min: number; readonly max: number } | undefined;
}

/** Space above and below the line, px. */
const margin = 2;

/**
 * A small plot as one path, without axes.
 * @param to machine time at the right edge, ms
 * @param size px
 */
export function sparkPicture(
  buffer: PlotBuffer,
  to: number,
  windowMs: number,
  size: { readonly width: number; readonly height: number },
): SparkPicture {
  const extent = extentOf(buffer, to - windowMs, to, false);
  if (extent === undefined) return { path: '', extent };
  const { min, max } = niceScale(extent.min, extent.max);
  const perUnit = (size.height - 2 * margin) / (max - min);
  const columns = columnsOf(to, windowMs, size.width);
  const sink = new TextSink();
  traceLine(
    buffer,
    frameOf(columns, (value) => margin + (max - value) * perUnit),
    sink,
  );
  return { path: sink.text, extent };
}

/** Writes a line as the attribute `d` of a path. */
class TextSink implements PathSink {
  text = '';

  moveTo(x: number, y: number): void {
    this.text += `M${tenths(x)} ${tenths(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.text += `L${tenths(x)} ${tenths(y)}`;
  }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
