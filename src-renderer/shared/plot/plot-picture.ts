import type { PlotDrawing } from './plot-drawing.ts';
import type { LegendRow } from './plot-legend.ts';

/** What a picture of a plot says beside its lines. */
export interface PictureWords {
  readonly title: string;
  /** Which time it shows. */
  readonly time: string;
  /** Units of the numbers at the left and the right axis. */
  readonly leftUnit: string;
  readonly rightUnit: string;
  /** Headings of the columns of the legend: the value, A, B, their difference, per second; '' for one without values. */
  readonly headings: readonly [string, string, string, string, string];
}

/** Sizes in px of the screen. */
const padPx = 12;
const rowPx = 20;
const titlePx = 22;
const swatchPx = 30;
const columnPx = 84;
const labelPx = 110;
const textPx = 12;
const titleTextPx = 15;

/**
 * A picture of a plot as it is shown, with its title, the time, units, legend and cursors, on the colour of the theme. It
 * is as wide as the plot.
 * @param host the element that the plot is drawn in, for its colours
 */
export function plotPicture(
  host: HTMLElement,
  drawing: PlotDrawing,
  words: PictureWords,
  rows: readonly LegendRow[],
): HTMLCanvasElement {
  const ratio = devicePixelRatio;
  const style = getComputedStyle(host);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  const font = token('--font');
  const { width, height } = drawing.size;
  const plotTop = padPx + titlePx + 2 * rowPx;
  const legendTop = plotTop + height / ratio + rowPx;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = Math.round((legendTop + (rows.length + 1) * rowPx + padPx - rowPx / 2) * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  const right = width / ratio - padPx;

  context.fillStyle = token('--panel');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = token('--sunk');
  context.fillRect(0, plotTop * ratio, width, height);
  context.save();
  context.translate(0, plotTop * ratio);
  context.font = `${textPx * ratio}px ${font}`;
  drawing.paint(context);
  context.restore();

  context.scale(ratio, ratio);
  context.textBaseline = 'middle';
  const write = (text: string, x: number, y: number, colour: string, align: CanvasTextAlign = 'left'): void => {
    context.fillStyle = token(colour);
    context.textAlign = align;
    context.fillText(text, x, y);
  };
  context.font = `600 ${titleTextPx}px ${font}`;
  write(words.title, padPx, padPx + titlePx / 2, '--ink');
  context.font = `${textPx}px ${font}`;
  write(words.time, padPx, padPx + titlePx + rowPx / 2, '--ink-2');
  const unitsY = padPx + titlePx + 1.5 * rowPx;
  write(words.leftUnit, drawing.margins.left / ratio, unitsY, '--ink-2');
  write(words.rightUnit, (width - drawing.margins.right) / ratio, unitsY, '--ink-2', 'right');

  const columns = words.headings.flatMap((heading, cell) => (heading === '' ? [] : [{ heading, cell }]));
  const apart = Math.min(columnPx, (right - padPx - labelPx) / columns.length);
  const columnX = (index: number): number => right - (columns.length - 1 - index) * apart;
  for (const [index, { heading }] of columns.entries()) write(heading, columnX(index), legendTop, '--ink-2', 'right');
  for (const [index, row] of rows.entries()) {
    const y = legendTop + (index + 1) * rowPx;
    context.strokeStyle = token(`--plot${row.colour}`);
    context.lineWidth = 2;
    context.setLineDash([...row.dash]);
    context.beginPath();
    context.moveTo(padPx, y);
    context.lineTo(padPx + swatchPx - 8, y);
    context.stroke();
    write(row.unit === '' ? row.label : `${row.label}, ${row.unit}`, padPx + swatchPx, y, '--ink');
    const cells = [row.value, row.a, row.b, row.difference, row.perSecond];
    for (const [column, { cell }] of columns.entries()) write(cells[cell] ?? '—', columnX(column), y, '--ink', 'right');
  }
  return canvas;
}
