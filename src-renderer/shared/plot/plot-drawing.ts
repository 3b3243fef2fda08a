import uPlot from 'uplot';
import { fitScales, type Extent, type Scales, type Side } from './plot-axes.ts';
import type { PlotBuffer } from './plot-buffer.ts';
import { lineStyle, type PlotChannel } from './plot-channel.ts';
import { PlotLines } from './plot-lines.ts';
import { PlotEvents, type EventMark } from './plot-events.ts';
import { PlotMarks, xOf, type Marks } from './plot-marks.ts';
import { extentOf } from './plot-path.ts';
import { niceScale, ticksOf, type Scale } from './plot-scale.ts';
import type { PlotView } from './plot-view.ts';
import { clockTicks, tickNumbers } from './plot-ticks.ts';

const sideAxisPx = 46;
const axisGapPx = 6;
const bottomAxisPx = 22;
const topPx = 8;
/** Room right of the lines: half of the label under their edge, and a little more. */
const sidePx = 24;
const clockLabelPx = 92;
/** A clock time so near to the right edge would be cut off. */
const clockEdgePx = 14;

export interface DrawingOptions {
  readonly channels: readonly PlotChannel[];
  /** Whether the scales always include 0. */
  readonly includesZero: boolean;
  /** The label under the right edge. */
  readonly now: string;
  /** For a plot in a stack with a common time axis. */
  readonly stack?: StackOptions;
}

/** How a plot is aligned with those above and below it. */
export interface StackOptions {
  /** Room left and right of the lines, px, so that equal times are above each other. */
  readonly sidePx: number;
  /** Whether it has the labels of the time axis. */
  readonly hasTimes: boolean;
  /** Events that are drawn over the lines, sorted by time. */
  readonly events: readonly EventMark[];
}

/** What is drawn: a time window, and the samples. */
export interface DrawnMoment {
  /** Machine time at the right edge, ms. */
  readonly to: number;
  readonly windowMs: number;
  /** Whether the right edge is now: then times are told from there, otherwise by the clock. */
  readonly isLive: boolean;
  readonly bufferOf: (name: string) => PlotBuffer;
  readonly marks: Marks;
}

/** uPlot needs some data for its scales; the lines are drawn from the buffers. */
const noData: uPlot.AlignedData = [[0, 1]];
const noScale = niceScale(Number.NaN, Number.NaN);

/**
 * A plot. uPlot draws axes and grid, which do not move while times are relative to now; lines and marks move above.
 */
export class PlotDrawing {
  readonly #plot: uPlot;
  readonly #lines: PlotLines;
  readonly #marks: PlotMarks;
  readonly #events: PlotEvents | undefined;
  readonly #options: DrawingOptions;
  readonly #ink: string;
  #scales: Scales = {};
  #moment: DrawnMoment | undefined;

  constructor(host: HTMLElement, options: DrawingOptions) {
    this.#options = options;
    const style = getComputedStyle(host);
    // With forced colours the system does not recolour a canvas: all is in the colour of text, and the grid is weaker.
    const isForced = matchMedia('(forced-colors: active)').matches;
    const forced = (name: string): string => (name === '--line-strong' ? 'GrayText' : style.color);
    const colourOf = (name: string): string => (isForced ? forced(name) : style.getPropertyValue(name).trim());
    this.#ink = colourOf('--ink');
    this.#plot = new uPlot(this.#uplotOptions(host, style, colourOf), noData, host);
    const { stack } = options;
    this.#events = stack && new PlotEvents(this.#plot.over, stack.events, colourOf);
    this.#lines = new PlotLines(
      this.#plot.over,
      options.channels.map(({ name, axis: side = 'left', isStepped = false }, index) => {
        const { colour, dash } = lineStyle(index);
        return { name, side, isStepped, dash, colour: colourOf(`--plot${colour}`) };
      }),
    );
    this.#marks = new PlotMarks(this.#plot.over);
  }

  /** Width of the area of the lines, in device pixels. */
  get widthPx(): number {
    return Math.max(1, this.#plot.bbox.width);
  }

  /** The time that is drawn; undefined before the first sample. */
  get view(): PlotView | undefined {
    return this.#moment === undefined ? undefined : { to: this.#moment.to, windowMs: this.#moment.windowMs };
  }

  /** The time that is drawn at a place on the screen, or will be with `view`, ms; undefined beside the lines. */
  timeAt(clientX: number, view: PlotView | undefined = this.#moment): number | undefined {
    if (view === undefined) return undefined;
    const { to, windowMs } = view;
    const { left, width } = this.#plot.over.getBoundingClientRect();
    const share = (clientX - left) / Math.max(1, width);
    return share < 0 || share > 1 ? undefined : to - (1 - share) * windowMs;
  }

  draw(moment: DrawnMoment): void {
    const before = this.#moment;
    const scales = fitScales(
      { left: this.#extentOf('left', moment), right: this.#extentOf('right', moment) },
      this.#scales,
    );
    const isSameAxis =
      before !== undefined &&
      scales === this.#scales &&
      before.windowMs === moment.windowMs &&
      before.isLive === moment.isLive &&
      (moment.isLive || before.to === moment.to);
    this.#moment = moment;
    this.#scales = scales;
    if (!isSameAxis) this.#drawAxes(moment);
    this.#lines.draw(moment, scales, this.#plot.bbox);
    this.#events?.draw(moment, this.#plot.bbox);
    this.showMarks(moment.marks);
  }

  /** Moves the marks over what is drawn. */
  showMarks(marks: Marks): void {
    if (this.#moment === undefined) return;
    this.#moment = { ...this.#moment, marks };
    this.#marks.show(marks, this.#moment, this.#plot.bbox.width / devicePixelRatio);
  }

  /** Draws everything anew at the next `draw`: samples of the picture were dropped. */
  forget(): void {
    this.#lines.forget();
  }

  /** Must be followed by `draw`. */
  resize(host: HTMLElement): void {
    this.#plot.setSize({ width: host.clientWidth, height: host.clientHeight });
    if (this.#moment !== undefined) this.#drawAxes(this.#moment);
  }

  /** Size of the picture, in device pixels. */
  get size(): { readonly width: number; readonly height: number } {
    const { width, height } = this.#plot.ctx.canvas;
    return { width, height };
  }

  /** Distance of the lines from the left and the right edge of the picture, in device pixels. */
  get margins(): { readonly left: number; readonly right: number } {
    const { left, width } = this.#plot.bbox;
    return { left, right: this.size.width - left - width };
  }

  /** Paints what is drawn, marks too, onto another canvas, from its current origin. */
  paint(context: CanvasRenderingContext2D): void {
    const { left, top, width, height } = this.#plot.bbox;
    context.drawImage(this.#plot.ctx.canvas, 0, 0);
    this.#lines.paint(context, left, top);
    if (this.#moment === undefined) return;
    const { marks } = this.#moment;
    const ratio = devicePixelRatio;
    for (const name of ['reading', 'a', 'b'] as const) {
      const x = xOf(marks[name], this.#moment, width);
      if (x === undefined) continue;
      context.fillStyle = this.#ink;
      context.fillRect(left + x, top, ratio, height);
      if (name !== 'reading') context.fillText(name.toUpperCase(), left + x + 4 * ratio, top + 11 * ratio);
    }
  }

  destroy(): void {
    this.#plot.destroy();
  }

  #drawAxes({ windowMs }: DrawnMoment): void {
    const plot = this.#plot;
    plot.batch(() => {
      for (const side of ['left', 'right'] as const) {
        const scale = this.#scales[side];
        if (scale !== undefined) plot.setScale(side, { min: scale.min, max: scale.max });
      }
      plot.setScale('x', { min: -windowMs, max: 0 });
      // Of a held plot only the times on the axis may differ, which uPlot does not see.
      plot.redraw(false, true);
    });
  }

  /** Lowest and highest value of the lines of a side; undefined if it has no line. */
  #extentOf(side: Side, { to, windowMs, bufferOf }: DrawnMoment): Extent | undefined {
    let min = this.#options.includesZero ? 0 : Number.POSITIVE_INFINITY;
    let max = this.#options.includesZero ? 0 : Number.NEGATIVE_INFINITY;
    let hasLine = false;
    for (const { name, axis = 'left', isStepped = false } of this.#options.channels) {
      if (axis !== side) continue;
      hasLine = true;
      const extent = extentOf(bufferOf(name), to - windowMs, to, isStepped);
      if (extent === undefined) continue;
      min = Math.min(min, extent.min);
      max = Math.max(max, extent.max);
    }
    return hasLine ? { min, max } : undefined;
  }

  #uplotOptions(host: HTMLElement, style: CSSStyleDeclaration, colourOf: (name: string) => string): uPlot.Options {
    const token = (name: string): string => style.getPropertyValue(name).trim();
    const font = `${token('--text-xs')} ${token('--font')}`;
    const { stack } = this.#options;
    const hasTimes = stack?.hasTimes !== false;
    const hasRight = this.#options.channels.some(({ axis }) => axis === 'right');
    const scaleOf = (side: Side): Scale => this.#scales[side] ?? noScale;
    const axis = (side: Side, grid: boolean): uPlot.Axis => ({
      scale: side,
      side: side === 'left' ? 3 : 1,
      size: (plot, numbers) => this.#axisWidth(plot, font, numbers),
      gap: axisGapPx,
      font,
      stroke: colourOf('--ink-3'),
      grid: { show: grid, stroke: colourOf('--line-strong'), width: 1 },
      ticks: { show: false },
      splits: () => ticksOf(scaleOf(side)),
      values: () => tickNumbers(scaleOf(side)),
    });
    return {
      width: host.clientWidth,
      height: host.clientHeight,
      padding: [topPx, hasRight ? 0 : (stack?.sidePx ?? sidePx), hasTimes ? 0 : topPx, 0],
      legend: { show: false },
      cursor: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      scales: { x: { time: false, auto: false }, left: { auto: false }, right: { auto: false } },
      axes: [
        {
          size: hasTimes ? bottomAxisPx : 0,
          gap: axisGapPx,
          font,
          stroke: colourOf('--ink-3'),
          grid: { show: false },
          ticks: { show: false },
          splits: () => this.#timeTicks().map(({ at }) => at),
          values: () => this.#timeTicks().map(({ label }) => (hasTimes ? label : '')),
        },
        axis('left', true),
        ...(hasRight ? [axis('right', false)] : []),
      ],
      series: [{}],
    };
  }

  /** Room for the widest number: one that is cut off is a wrong one. */
  #axisWidth(plot: uPlot, font: string, numbers: readonly string[] | null): number {
    const { ctx } = plot;
    ctx.save();
    ctx.font = font;
    const widest = Math.max(0, ...(numbers ?? []).map((each) => ctx.measureText(each).width));
    ctx.restore();
    return Math.max(this.#options.stack?.sidePx ?? sideAxisPx, Math.ceil(widest) + 2 * axisGapPx);
  }

  /** Times from the right edge, ms, with their labels. */
  #timeTicks(): readonly { readonly at: number; readonly label: string }[] {
    if (this.#moment === undefined) return [];
    const { to, windowMs, isLive } = this.#moment;
    if (isLive)
      return [1, 2 / 3, 1 / 3, 0].map((part) => ({ at: -part * windowMs, label: this.#ageWords(part * windowMs) }));
    const width = this.widthPx / devicePixelRatio;
    const latest = to - (windowMs * clockEdgePx) / width;
    return clockTicks(to - windowMs, latest, Math.floor(width / clockLabelPx)).map(({ at, label }) => ({
      at: at - to,
      label,
    }));
  }

  #ageWords(ageMs: number): string {
    const seconds = Math.round(ageMs / 1_000);
    if (seconds === 0) return this.#options.now;
    return seconds % 60 === 0 ? `−${seconds / 60} min` : `−${seconds} s`;
  }
}
