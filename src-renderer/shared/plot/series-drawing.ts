import uPlot from 'uplot';
import { lineStyle, plotNumber } from './plot-channel.ts';
import { niceScale, ticksOf, type Scale } from './plot-scale.ts';
import { timeOfStretch, type Grid } from './series-grid.ts';
import { tickWords, type TimeWindow } from './time-window.ts';

const leftAxisPx = 56;
const bottomAxisPx = 34;
const rightPx = 14;
const topPx = 8;
/** A shorter drag is a click. */
const MIN_DRAG_PX = 4;
const bandPercent = 25;

/** Numbers for each stretch of a grid; NaN for an empty stretch. */
export interface DrawnValues {
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly average: Float64Array;
  /** Minimum and maximum of all; undefined if there are no values. */
  readonly extent: { readonly min: number; readonly max: number } | undefined;
}

export interface DrawingHooks {
  /** The pointer is over this stretch; undefined for none. */
  readonly onPoint: (index: number | undefined) => void;
  /** A time was dragged over. */
  readonly onZoom: (window: TimeWindow) => void;
  /** Double click. */
  readonly onZoomOut: () => void;
}

/** Draws a series: a line through the mean of each stretch, in a band from its minimum to its maximum. */
export class SeriesDrawing {
  readonly #plot: uPlot;
  #grid: Grid;
  #times: number[];
  #scale: Scale = niceScale(Number.NaN, Number.NaN);

  /**
   * @param index index of the plot, for its colour
   * @param words formats numbers along the axis
   */
  constructor(host: HTMLElement, grid: Grid, index: number, hooks: DrawingHooks, words = plotNumber) {
    this.#grid = grid;
    this.#times = timesOf(grid);
    this.#plot = new uPlot(this.#options(host, index, hooks, words), [this.#times, [], [], []], host);
  }

  /** @param grid must have as many stretches as the previous one */
  draw(values: DrawnValues, grid: Grid): void {
    if (grid !== this.#grid) {
      this.#grid = grid;
      this.#times = timesOf(grid);
    }
    const { min = Number.NaN, max = Number.NaN } = values.extent ?? {};
    this.#scale = niceScale(min, max);
    // uPlot takes null as a gap, and NaN as a number.
    const gaps = (numbers: Float64Array): (number | null)[] =>
      Array.from(numbers, (each) => (Number.isNaN(each) ? null : each));
    this.#plot.batch(() => {
      this.#plot.setData([this.#times, gaps(values.max), gaps(values.min), gaps(values.average)], false);
      this.#plot.setScale('x', { min: this.#grid.from, max: timeOfStretch(this.#grid, this.#grid.count) });
      this.#plot.setScale('y', { min: this.#scale.min, max: this.#scale.max });
    });
  }

  /** Moves the cross-hair to a stretch, as a pointer does; undefined hides it. */
  point(index: number | undefined): void {
    const at = index === undefined ? undefined : this.#times[index];
    const left = at === undefined ? -10 : this.#plot.valToPos(at, 'x');
    this.#plot.setCursor({ left, top: left < 0 ? -10 : 0 });
  }

  resize(host: HTMLElement): void {
    this.#plot.setSize({ width: host.clientWidth, height: host.clientHeight });
  }

  destroy(): void {
    this.#plot.destroy();
  }

  #options(host: HTMLElement, index: number, hooks: DrawingHooks, words: (value: number) => string): uPlot.Options {
    const style = getComputedStyle(host);
    // With forced colours the system does not recolour a canvas, so it is drawn in the colour of text.
    const isForced = matchMedia('(forced-colors: active)').matches;
    const token = (name: string): string => style.getPropertyValue(name).trim();
    const colourOf = (name: string): string => (isForced ? style.color : token(name));
    const font = `${token('--text-xs')} ${token('--font')}`;
    const colour = colourOf(`--plot${lineStyle(index).colour}`);
    const points = { show: this.#grid.count < 120, size: 4, fill: colour };
    const axis = { font, stroke: colourOf('--ink-3'), ticks: { show: false } };
    const select = (plot: uPlot): void => {
      const { left, width } = plot.select;
      if (width < MIN_DRAG_PX) return;
      const from = Math.round(plot.posToVal(left, 'x'));
      const to = Math.max(Math.round(plot.posToVal(left + width, 'x')), from + 1);
      plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      hooks.onZoom({ from, to });
    };
    return {
      width: host.clientWidth,
      height: host.clientHeight,
      ms: 1,
      padding: [topPx, rightPx, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 6, fill: colour, stroke: colour },
        drag: { x: true, y: false, setScale: false },
        bind: {
          dblclick: () => () => {
            hooks.onZoomOut();
            return null;
          },
        },
      },
      scales: { x: { time: true, auto: false }, y: { auto: false } },
      axes: [
        {
          ...axis,
          size: bottomAxisPx,
          gap: 4,
          space: 90,
          grid: { show: false },
          values: (_plot, splits, _axis, _space, step) => tickWords(splits, step),
        },
        {
          ...axis,
          scale: 'y',
          size: leftAxisPx,
          gap: 6,
          grid: { stroke: isForced ? faded(style.color) : token('--line-strong'), width: 1 },
          splits: () => ticksOf(this.#scale),
          values: (_plot, splits) => splits.map(words),
        },
      ],
      series: [
        {},
        { scale: 'y', width: 0, points: { show: false } },
        { scale: 'y', width: 0, points: { show: false } },
        { scale: 'y', stroke: colour, width: 1.5, points },
      ],
      bands: [{ series: [1, 2], fill: faded(colour) }],
      hooks: {
        setSelect: [select],
        setCursor: [(plot) => hooks.onPoint(plot.cursor.idx ?? undefined)],
      },
    };
  }
}

/** A value is drawn in the middle of its stretch. */
function timesOf(grid: Grid): number[] {
  return Array.from({ length: grid.count }, (_, at) => timeOfStretch(grid, at + 0.5));
}

/** The fill of a band: a colour of the tokens or of the browser, made transparent. */
function faded(colour: string): string {
  return `color-mix(in srgb, ${colour} ${bandPercent}%, transparent)`;
}
