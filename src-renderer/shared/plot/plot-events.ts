import { xOf } from './plot-marks.ts';
import type { PlotView } from './plot-view.ts';

/** How an event is drawn: what somebody did, what went wrong, or what else happened. */
export type EventLook = 'done' | 'wrong' | 'other';

/** An event at a time of the machine, ms. */
export interface EventMark {
  readonly at: number;
  readonly look: EventLook;
}

/** Colour and dashes of each look; the more important is drawn over the others. */
const looks: readonly { readonly look: EventLook; readonly colour: string; readonly dash: readonly number[] }[] = [
  { look: 'other', colour: '--ink-3', dash: [1, 3] },
  { look: 'done', colour: '--accent', dash: [] },
  { look: 'wrong', colour: '--bad', dash: [4, 3] },
];

/** Events as vertical lines over those of a plot. At most one of each look is drawn per pixel. */
export class PlotEvents {
  readonly #canvas = document.createElement('canvas');
  readonly #events: readonly EventMark[];
  readonly #colourOf: (name: string) => string;

  /** @param host the element over the lines, as large as their area; @param events sorted by time */
  constructor(host: HTMLElement, events: readonly EventMark[], colourOf: (name: string) => string) {
    this.#events = events;
    this.#colourOf = colourOf;
    // Out of the flow, so that the lines keep their place.
    Object.assign(this.#canvas.style, { position: 'absolute', top: '0', left: '0' });
    host.append(this.#canvas);
  }

  /** @param area of the lines, device pixels */
  draw(view: PlotView, area: { readonly width: number; readonly height: number }): void {
    const canvas = this.#canvas;
    const ratio = devicePixelRatio;
    const size = { width: Math.round(area.width), height: Math.round(area.height) };
    Object.assign(canvas, size);
    Object.assign(canvas.style, { width: `${size.width / ratio}px`, height: `${size.height / ratio}px` });
    const context = canvas.getContext('2d');
    if (context === null) return;
    context.lineWidth = ratio;
    for (const { look, colour, dash } of looks) {
      context.strokeStyle = this.#colourOf(colour);
      context.setLineDash(dash.map((each) => each * ratio));
      context.beginPath();
      for (const x of columnsOf(this.#events, look, view, size.width)) {
        context.moveTo(x + 0.5, 0);
        context.lineTo(x + 0.5, size.height);
      }
      context.stroke();
    }
  }
}

/** The pixel columns that have an event of a look, each once. */
export function columnsOf(
  events: readonly EventMark[],
  look: EventLook,
  view: PlotView,
  width: number,
): ReadonlySet<number> {
  const columns = new Set<number>();
  for (const event of events) {
    const x = event.look === look ? xOf(event.at, view, width - 1) : undefined;
    if (x !== undefined) columns.add(x);
  }
  return columns;
}
