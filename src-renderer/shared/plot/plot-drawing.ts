import uPlot from 'uplot';
import type { PlotBuffer } from './plot-buffer.ts';
import { lineStyle, plotNumber, type PlotChannel } from './plot-channel.ts';
import { PlotLines, type Side } from './plot-lines.ts';
import { extentOf } from './plot-path.ts';
import { niceScale, ticksOf, type Scale } from './plot-scale.ts';

const leftAxisPx = 46;
const bottomAxisPx = 22;
const topPx = 8;
const sidePx = 12;
/** A scale is kept while it is at most this much larger than needed, so that lines do not jump at small changes. */
const MAX_KEPT_SCALE_FACTOR = 2.2;

export interface DrawingOptions {
  readonly channels: readonly PlotChannel[];
  /** Whether the scales always include 0. */
  readonly includesZero: boolean;
  /** The label under the right edge. */
  readonly now: string;
}

/** What is drawn: a time window, and the samples. */
export interface DrawnMoment {
  /** Machine time at the right edge, ms. */
  readonly to: number;
  readonly windowMs: number;
  readonly bufferOf: (name: string) => PlotBuffer;
}

/** uPlot needs some data for its scales; the lines are drawn from the buffers. */
const noData: uPlot.AlignedData = [[0, 1]];

/** A plot. uPlot draws axes and grid, which do not move because times are relative to now; the lines move above. */
export class PlotDrawing {
  readonly #plot: uPlot;
  readonly #lines: PlotLines;
  readonly #options: DrawingOptions;
  readonly #scales: Partial<Record<Side, Scale>> = {};
  #windowMs = 0;

  constructor(host: HTMLElement, options: DrawingOptions) {
    this.#options = options;
    this.#plot = new uPlot(this.#uplotOptions(host), noData, host);
    const style = getComputedStyle(host);
    this.#lines = new PlotLines(
      this.#plot.over,
      options.channels.map(({ name, axis: side = 'left', isStepped = false }, index) => {
        const { colour, dash } = lineStyle(index);
        return { name, side, isStepped, dash, colour: style.getPropertyValue(`--plot${colour}`).trim() };
      }),
    );
  }

  /** Width of the area of the lines, in device pixels. */
  get widthPx(): number {
    return Math.max(1, this.#plot.bbox.width);
  }

  draw(moment: DrawnMoment): void {
    const before = { ...this.#scales };
    for (const side of ['left', 'right'] as const) this.#fitScale(side, moment);
    const { left, right } = this.#scales;
    if (left !== before.left || right !== before.right || moment.windowMs !== this.#windowMs) {
      this.#windowMs = moment.windowMs;
      this.#drawAxes();
    }
    this.#lines.draw(moment, this.#scales, this.#plot.bbox);
  }

  /** Must be followed by `draw`. */
  resize(host: HTMLElement): void {
    this.#plot.setSize({ width: host.clientWidth, height: host.clientHeight });
    if (this.#windowMs > 0) this.#drawAxes();
  }

  destroy(): void {
    this.#plot.destroy();
  }

  #drawAxes(): void {
    const plot = this.#plot;
    plot.batch(() => {
      for (const side of ['left', 'right'] as const) {
        const scale = this.#scales[side];
        if (scale !== undefined) plot.setScale(side, { min: scale.min, max: scale.max });
      }
      plot.setScale('x', { min: -this.#windowMs, max: 0 });
    });
  }

  #fitScale(side: Side, { to, windowMs, bufferOf }: DrawnMoment): void {
    const channels = this.#options.channels.filter(({ axis = 'left' }) => axis === side);
    if (channels.length === 0) return;
    let min = this.#options.includesZero ? 0 : Number.POSITIVE_INFINITY;
    let max = this.#options.includesZero ? 0 : Number.NEGATIVE_INFINITY;
    for (const { name, isStepped = false } of channels) {
      const extent = extentOf(bufferOf(name), to - windowMs, to, isStepped);
      if (extent === undefined) continue;
      min = Math.min(min, extent.min);
      max = Math.max(max, extent.max);
    }
    const wanted = niceScale(min, max);
    const kept = this.#scales[side];
    const isKept =
      kept !== undefined &&
      kept.min <= wanted.min &&
      kept.max >= wanted.max &&
      kept.max - kept.min <= MAX_KEPT_SCALE_FACTOR * (wanted.max - wanted.min);
    if (!isKept) this.#scales[side] = wanted;
  }

  #uplotOptions(host: HTMLElement): uPlot.Options {
    const style = getComputedStyle(host);
    const token = (name: string): string => style.getPropertyValue(name).trim();
    const font = `${token('--text-xs')} ${token('--font')}`;
    const hasRight = this.#options.channels.some(({ axis }) => axis === 'right');
    const axis = (side: Side, grid: boolean): uPlot.Axis => ({
      scale: side,
      side: side === 'left' ? 3 : 1,
      size: leftAxisPx,
      gap: 6,
      font,
      stroke: token('--ink-3'),
      grid: { show: grid, stroke: token('--line-strong'), width: 1 },
      ticks: { show: false },
      splits: () => ticksOf(this.#scales[side] ?? niceScale(Number.NaN, Number.NaN)),
      values: (_plot, splits) => splits.map(plotNumber),
    });
    return {
      width: host.clientWidth,
      height: host.clientHeight,
      padding: [topPx, hasRight ? 0 : sidePx, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      scales: { x: { time: false, auto: false }, left: { auto: false }, right: { auto: false } },
      axes: [
        {
          size: bottomAxisPx,
          gap: 6,
          font,
          stroke: token('--ink-3'),
          grid: { show: false },
          ticks: { show: false },
          splits: () => this.#timeSplits(),
          values: (_plot, splits) => splits.map((at) => this.#timeWords(at)),
        },
        axis('left', true),
        ...(hasRight ? [axis('right', false)] : []),
      ],
      series: [{}],
    };
  }

  #timeSplits(): number[] {
    return [1, 2 / 3, 1 / 3, 0].map((part) => -part * this.#windowMs);
  }

  #timeWords(at: number): string {
    const seconds = Math.round(-at / 1_000);
    if (seconds === 0) return this.#options.now;
    return seconds % 60 === 0 ? `−${seconds / 60} min` : `−${seconds} s`;
  }
}
