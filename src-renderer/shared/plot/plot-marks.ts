import type { PlotView } from './plot-view.ts';
import type { TimeWindow } from './time-window.ts';

/** What is marked over the lines of a plot: times of the machine, ms. */
export interface Marks {
  readonly reading: number | undefined;
  readonly a: number | undefined;
  readonly b: number | undefined;
  /** The time that is being selected. */
  readonly selection: TimeWindow | undefined;
}

const names = ['reading', 'a', 'b'] as const;

/** The marks as elements over the lines, which they follow at each frame without a layout. */
export class PlotMarks {
  readonly #lines: Readonly<Record<(typeof names)[number], HTMLElement>>;
  readonly #selection: HTMLElement;

  /** @param host the element over the lines, as large as their area */
  constructor(host: HTMLElement) {
    const added = (name: string, text = ''): HTMLElement => {
      const element = document.createElement('div');
      element.className = `mark ${name}`;
      element.hidden = true;
      if (text !== '') element.append(Object.assign(document.createElement('span'), { textContent: text }));
      host.append(element);
      return element;
    };
    this.#selection = added('selection');
    this.#lines = { reading: added('reading'), a: added('a', 'A'), b: added('b', 'B') };
  }

  /** @param width of the area, px */
  show(marks: Marks, view: PlotView, width: number): void {
    for (const name of names) place(this.#lines[name], xOf(marks[name], view, width));
    const { selection } = marks;
    const from = xOf(selection?.from, view, width);
    const to = xOf(selection?.to, view, width);
    place(this.#selection, from);
    if (from !== undefined && to !== undefined) this.#selection.style.width = `${to - from}px`;
  }
}

/** Where a time is in a view, whole px from its left edge; undefined if it is not in it. */
export function xOf(at: number | undefined, { to, windowMs }: PlotView, width: number): number | undefined {
  if (at === undefined || at > to || at < to - windowMs) return undefined;
  return Math.round((1 - (to - at) / windowMs) * width);
}

function place(element: HTMLElement, x: number | undefined): void {
  element.hidden = x === undefined;
  if (x !== undefined) element.style.transform = `translateX(${x}px)`;
}
