import uPlot from 'uplot';
import type { PlotBuffer } from './plot-buffer.ts';
import { lineStyle, plotNumber, type PlotChannel } from './plot-channel.ts';
import { extentOf, traceLine, traceSteps, type PathFrame } from './plot-path.ts';
import { niceScale, ticksOf, type Scale } from './plot-scale.ts';

type Side = 'left' | 'right';

const lineWidth = 1.7;
const leftAxisPx = 46;
const bottomAxisPx = 22;
const topPx = 8;
const sidePx = 12;
/** A scale that is this much larger than what it needs is kept: lines do not jump at each small change. */
const keptScale = 2.2;

export interface DrawingOptions {
  readonly channels: readonly PlotChannel[];
  /** Whether a scale shows 0 whatever the values are. */
  readonly includesZero: boolean;
  /** The words under the right edge. */
  readonly now: string;
}

/** What is drawn: a time, and the samples. */
export interface DrawnMoment {
  /** Machine time at the right edge, ms. */
  readonly to: number;
  readonly windowMs: number;
  readonly bufferOf: (name: string) => PlotBuffer;
}

/** The canvas of a plot: axes and lines of a window of time, by uPlot, straight from the buffers. */
export class PlotDrawing {
  readonly #plot: uPlot;
  readonly #options: DrawingOptions;
  readonly #scales: Partial<Record<Side, Scale>> = {};
  #moment: DrawnMoment | undefined;

  constructor(host: HTMLElement, options: DrawingOptions) {
    this.#options = options;
    this.#plot = new uPlot(this.#uplotOptions(host), this.#noData(), host);
  }

  /** Width of what the lines are drawn on, in pixels of the screen. */
  get widthPx(): number {
    return Math.max(1, this.#plot.bbox.width);
  }

  draw(moment: DrawnMoment): void {
    this.#moment = moment;
    const plot = this.#plot;
    plot.batch(() => {
      for (const side of ['left', 'right'] as const) {
        const scale = this.#scaleOf(side, moment);
        if (scale !== undefined) plot.setScale(side, { min: scale.min, max: scale.max });
      }
      // Given anew, it makes uPlot draw everything anew.
      plot.setScale('x', { min: moment.to - moment.windowMs, max: moment.to });
    });
  }

  resize(host: HTMLElement): void {
    this.#plot.setSize({ width: host.clientWidth, height: host.clientHeight });
    if (this.#moment !== undefined) this.draw(this.#moment);
  }

  destroy(): void {
    this.#plot.destroy();
  }

  #noData(): uPlot.AlignedData {
    // uPlot asks for some; the lines come from the buffers.
    return [[0, 1], ...this.#options.channels.map(() => [null, null])] as uPlot.AlignedData;
  }

  #scaleOf(side: Side, { to, windowMs, bufferOf }: DrawnMoment): Scale | undefined {
    const channels = this.#options.channels.filter(({ axis = 'left' }) => axis === side);
    if (channels.length === 0) return undefined;
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
      kept.max - kept.min <= keptScale * (wanted.max - wanted.min);
    return isKept ? kept : (this.#scales[side] = wanted);
  }

  #frame(side: Side): PathFrame | undefined {
    const [moment, scale] = [this.#moment, this.#scales[side]];
    if (moment === undefined || scale === undefined) return undefined;
    const { left, top, width, height } = this.#plot.bbox;
    const from = moment.to - moment.windowMs;
    const perMs = width / moment.windowMs;
    const perUnit = height / (scale.max - scale.min);
    return {
      from,
      to: moment.to,
      msPerPixel: 1 / perMs,
      x: (at) => left + (at - from) * perMs,
      y: (value) => top + (scale.max - value) * perUnit,
    };
  }

  #path(index: number): uPlot.Series.Paths | null {
    const channel = this.#options.channels[index];
    const frame = channel === undefined ? undefined : this.#frame(channel.axis ?? 'left');
    const moment = this.#moment;
    if (channel === undefined || frame === undefined || moment === undefined) return null;
    const stroke = new Path2D();
    const trace = channel.isStepped === true ? traceSteps : traceLine;
    trace(moment.bufferOf(channel.name), frame, stroke);
    return { stroke, fill: null, clip: null, flags: 0 };
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
      series: [
        {},
        ...this.#options.channels.map((channel, index): uPlot.Series => {
          const { colour, dash } = lineStyle(index);
          return {
            scale: channel.axis ?? 'left',
            auto: false,
            width: lineWidth,
            stroke: token(`--plot${colour}`),
            ...(dash.length === 0 ? {} : { dash: [...dash] }),
            points: { show: false },
            paths: () => this.#path(index),
          };
        }),
      ],
    };
  }

  #timeSplits(): number[] {
    const moment = this.#moment;
    if (moment === undefined) return [];
    return [1, 2 / 3, 1 / 3, 0].map((part) => moment.to - part * moment.windowMs);
  }

  #timeWords(at: number): string {
    const seconds = Math.round(((this.#moment?.to ?? at) - at) / 1_000);
    if (seconds === 0) return this.#options.now;
    return seconds % 60 === 0 ? `−${seconds / 60} min` : `−${seconds} s`;
  }
}
