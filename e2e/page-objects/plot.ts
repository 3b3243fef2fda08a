import { readFile } from 'node:fs/promises';
import { expect, type Download, type Locator } from '@playwright/test';

type Measure = 'a' | 'b' | 'difference' | 'perSecond';

/** What is read of a canvas in the page. */
interface PaintedCanvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
}

/** A live plot. */
export class Plot {
  readonly figure: Locator;

  constructor(figure: Locator) {
    this.figure = figure;
  }

  /** A line of the legend: its label and current value. */
  line(name: string): Locator {
    return this.figure.getByRole('listitem').filter({ hasText: name });
  }

  get window(): Locator {
    return this.figure.getByRole('combobox', { name: 'Time shown' });
  }

  get notice(): Locator {
    return this.figure.getByRole('status');
  }

  /** The plot itself, which takes the focus and its own keys. Its name says what time it shows. */
  get area(): Locator {
    return this.figure.getByRole('application');
  }

  /** What the values of the legend are of. */
  get status(): Locator {
    return this.figure.locator('.head .status');
  }

  /** The line at the time that is read, or a cursor. */
  mark(name: 'reading' | 'a' | 'b'): Locator {
    return this.figure.locator(`.mark.${name}`);
  }

  /** Seconds from A to B, and what they are the length of. */
  get length(): Locator {
    return this.figure.locator('.head .difference');
  }

  get clearCursors(): Locator {
    return this.figure.getByRole('button', { name: 'Clear cursors', exact: true });
  }

  async press(button: 'Pause' | 'Live' | 'Reset' | 'Dismiss' | 'Clear cursors'): Promise<void> {
    await this.figure.getByRole('button', { name: button, exact: true }).click();
  }

  /** The number of a line of the legend: the value that is read, or the latest one. */
  async value(name: string): Promise<number> {
    return numberIn(await this.line(name).locator('b').innerText());
  }

  async measure(name: string, measure: Measure): Promise<number> {
    return numberIn(await this.line(name).locator(`.${measure}`).innerText());
  }

  /** A place over the lines, on the screen: 0 is at their left edge, 1 at their right edge. */
  async place(share: number): Promise<{ x: number; y: number }> {
    const box = await this.figure.locator('.u-over').boundingBox();
    if (box === null) throw new Error('the plot is not on the screen');
    return { x: box.x + box.width * share, y: box.y + box.height / 2 };
  }

  async point(share: number): Promise<void> {
    const { x, y } = await this.place(share);
    await this.figure.page().mouse.move(x, y);
  }

  async click(share: number): Promise<void> {
    const { x, y } = await this.place(share);
    await this.figure.page().mouse.click(x, y);
  }

  /** Drags from one place over the lines to another. */
  async drag(from: number, to: number): Promise<void> {
    const { mouse } = this.figure.page();
    await this.point(from);
    await mouse.down();
    await this.point((from + to) / 2);
    await this.point(to);
    await mouse.up();
  }

  /** Milliseconds that a paused plot shows, and the local time of day of its edges, as its name says. */
  async heldWindow(): Promise<{ from: string; to: string; lengthMs: number }> {
    await expect(this.area).toHaveAccessibleName(/curves from .+ to /);
    const [, from = '', to = ''] = /from ([\d:.]+) to ([\d:.]+)\. /.exec(
      (await this.area.getAttribute('aria-label')) ?? '',
    ) ?? ['', '', ''];
    const day = 86_400_000;
    return { from, to, lengthMs: (timeOfDay(to) - timeOfDay(from) + day) % day };
  }

  /** The drawing as data URLs: equal texts mean equal pictures. */
  picture(): Promise<string> {
    return this.figure
      .locator('canvas')
      .evaluateAll((canvases) => canvases.map((one) => (one as unknown as { toDataURL(): string }).toDataURL()).join());
  }

  /** Where a line is in the upper half, from 0 at the left edge to 1 at the right one: columns with a painted pixel. */
  async peaks(): Promise<number[]> {
    const lines = this.figure.locator('.u-over canvas').last();
    return lines.evaluate((element) => {
      const canvas = element as unknown as PaintedCanvas;
      const { width } = canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, canvas.height >> 1);
      const columns = new Set<number>();
      for (let pixel = 0; pixel < data.length / 4; pixel++) if (data[pixel * 4 + 3] !== 0) columns.add(pixel % width);
      return [...columns].sort((one, other) => one - other).map((column) => column / width);
    });
  }

  /** Zooms about a place by so many notches of the wheel: in, or out if they are negative. */
  async zoom(share: number, notches: number): Promise<void> {
    const { keyboard, mouse } = this.figure.page();
    await this.point(share);
    await keyboard.down('Control');
    for (let turned = 0; turned < Math.abs(notches); turned++) await mouse.wheel(0, notches > 0 ? -100 : 100);
    await keyboard.up('Control');
  }

  async export(kind: 'Picture (PNG)' | 'Values (CSV)'): Promise<Download> {
    const page = this.figure.page();
    await this.figure.getByRole('button', { name: 'Export', exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: kind, exact: true }).click(),
    ]);
    return file;
  }

  /** The lines of the exported table. */
  async exportTable(): Promise<string[]> {
    const file = await this.export('Values (CSV)');
    const text = await readFile(await file.path(), 'utf8');
    expect(text.endsWith('\r\n')).toBe(true);
    return text.slice(0, -2).split('\r\n');
  }
}

/** The number that a text begins with, after the words for screen readers. */
function numberIn(text: string): number {
  return Number(/−?[\d,.]+/.exec(text)?.[0].replace('−', '-').replaceAll(',', ''));
}

/** Milliseconds since midnight of `10:42:07.120`. */
export function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  return Math.round(((hours * 60 + minutes) * 60 + seconds) * 1_000);
}
