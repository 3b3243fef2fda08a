import type { Scales, Side } from './plot-axes.ts';
import type { PlotBuffer } from './plot-buffer.ts';
import { indexBefore, traceLine, traceSteps } from './plot-path.ts';
import {
  columnsOf,
  firstChanged,
  frameOf,
  lastBefore,
  StripSink,
  type Columns,
  type DrawnChannel,
} from './plot-strip.ts';

const lineWidth = 1.7;
/** Extra height, so that lines at the ends of the scale are not cut off. */
const overhang = 2;

/** One line: its channel and its look. */
export interface PlotLine {
  readonly name: string;
  readonly side: Side;
  readonly isStepped: boolean;
  readonly colour: string;
  readonly dash: readonly number[];
}

/** The part of uPlot's canvas that lines are drawn on, in device pixels. */
interface Area {
  readonly width: number;
  readonly height: number;
}

interface Moment {
  readonly to: number;
  readonly windowMs: number;
  readonly bufferOf: (name: string) => PlotBuffer;
}

/** What is on the canvas now. */
interface Picture {
  readonly columns: Columns;
  readonly scales: Scales;
  readonly channels: readonly DrawnChannel[];
}

/**
 * The lines of a plot, on their own canvas. They move by whole pixels: the picture is shifted to the left, and only the
 * strip with new samples is redrawn. Without a graphics card, drawing a line of a thousand points takes longer than a
 * frame.
 */
export class PlotLines {
  readonly #canvas = document.createElement('canvas');
  readonly #context = this.#canvas.getContext('2d');
  readonly #lines: readonly PlotLine[];
  #picture: Picture | undefined;

  constructor(host: HTMLElement, lines: readonly PlotLine[]) {
    this.#lines = lines;
    host.append(this.#canvas);
  }

  draw(moment: Moment, scales: Scales, area: Area): void {
    this.#fit(area);
    const columns = columnsOf(moment.to, moment.windowMs, this.#canvas.width);
    const known = this.#knownPicture(columns, scales);
    const stripX = known === undefined ? 0 : this.#stripX(known, columns, moment);
    // If it is redrawn from the left edge, the previous picture is not needed.
    const before = stripX === 0 ? undefined : known;
    if (before !== undefined) this.#shift(columns.right - before.columns.right);
    this.#picture = { columns, scales: { ...scales }, channels: this.#stroke(stripX, before, columns, moment, scales) };
  }

  /** Draws everything anew at the next `draw`. */
  forget(): void {
    this.#picture = undefined;
  }

  /** Paints the lines onto another canvas, with their area at this place. */
  paint(context: CanvasRenderingContext2D, left: number, top: number): void {
    context.drawImage(this.#canvas, left, top - overhang * devicePixelRatio);
  }

  #fit({ width, height }: Area): void {
    const ratio = devicePixelRatio;
    const canvas = this.#canvas;
    const size = { width: Math.round(width), height: Math.round(height + 2 * overhang * ratio) };
    if (canvas.width === size.width && canvas.height === size.height) return;
    Object.assign(canvas, size);
    Object.assign(canvas.style, {
      width: `${size.width / ratio}px`,
      height: `${size.height / ratio}px`,
      marginTop: `${-overhang}px`,
    });
    this.#picture = undefined;
  }

  /** The current picture, if it can be reused for `columns`. */
  #knownPicture(columns: Columns, scales: Scales): Picture | undefined {
    const known = this.#picture;
    const isUsable =
      known !== undefined &&
      known.scales.left === scales.left &&
      known.scales.right === scales.right &&
      known.columns.msPerPixel === columns.msPerPixel &&
      known.columns.right <= columns.right;
    return isUsable ? known : undefined;
  }

  /** Left edge of the strip that must be redrawn, px; 0 for everything. */
  #stripX(known: Picture, columns: Columns, { bufferOf }: Moment): number {
    let first = columns.width - (columns.right - known.columns.right);
    for (const [index, { name, isStepped }] of this.#lines.entries()) {
      const drawn = known.channels[index];
      if (drawn === undefined) return 0;
      first = Math.min(first, firstChanged(bufferOf(name), drawn, isStepped, columns, known.columns.right) ?? 0);
    }
    return Math.max(0, first - this.#margin);
  }

  /** How far a line extends beyond its points, px. */
  get #margin(): number {
    return Math.ceil(lineWidth * devicePixelRatio) + 1;
  }

  #shift(pixels: number): void {
    const context = this.#context;
    if (context === null || pixels === 0) return;
    context.globalCompositeOperation = 'copy';
    context.drawImage(this.#canvas, -pixels, 0);
    context.globalCompositeOperation = 'source-over';
  }

  #stroke(
    stripX: number,
    before: Picture | undefined,
    columns: Columns,
    { bufferOf }: Moment,
    scales: Scales,
  ): DrawnChannel[] {
    const { width, height } = this.#canvas;
    const ratio = devicePixelRatio;
    const context = this.#context;
    if (context === null) return [];
    context.save();
    context.beginPath();
    context.rect(stripX, 0, width - stripX, height);
    context.clip();
    context.clearRect(stripX, 0, width - stripX, height);
    context.lineWidth = lineWidth * ratio;
    context.lineJoin = 'round';
    const top = overhang * ratio;
    const channels = this.#lines.map(({ name, side, isStepped, colour, dash }, index): DrawnChannel => {
      const buffer = bufferOf(name);
      const { min, max } = scales[side] ?? { min: 0, max: 1 };
      const perUnit = (height - 2 * top) / (max - min);
      const frame = frameOf(columns, (value) => top + (max - value) * perUnit);
      const known = before?.channels[index]?.anchor;
      const knownIndex = known === undefined ? -1 : buffer.indexFrom(known.at);
      const anchor = known !== undefined && buffer.timeAt(knownIndex) === known.at ? known : undefined;
      const sink = new StripSink(stripX - this.#margin, anchor?.length ?? 0, () => new Path2D());
      const begin = anchor === undefined ? indexBefore(buffer, frame.from) : knownIndex;
      (isStepped ? traceSteps : traceLine)(buffer, frame, sink, begin);
      context.strokeStyle = colour;
      context.setLineDash(dash.map((each) => each * ratio));
      for (const { path, dashOffset } of sink.lines) {
        context.lineDashOffset = dashOffset;
        context.stroke(path);
      }
      return { lastAt: lastBefore(buffer, frame.to), anchor: sink.anchor };
    });
    context.restore();
    return channels;
  }
}
