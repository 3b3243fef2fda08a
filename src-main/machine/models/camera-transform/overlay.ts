import type { PictureSize, Region } from './rules.ts';

/** A box with a label at its upper left corner. */
export interface LabelledBox {
  readonly label: string;
  readonly region: Region;
}

/** Colours that differ clearly, and are dark enough for white letters. */
const colours = ['#c2185b', '#1565c0', '#2e7d32', '#b34700', '#6a1b9a', '#00695c', '#a31515', '#4e5d00'];
/** Longer labels are cut. */
const MAX_LETTERS = 40;
/** Width of a letter, as a share of the line height. */
const LETTER_WIDTH = 0.6;

/** An SVG with boxes, to be drawn over a picture of this size. It uses the fonts of this computer. */
export function boxesSvg(size: PictureSize, boxes: readonly LabelledBox[]): string {
  const line = lineHeight(size);
  const stroke = Math.max(1, Math.round(line / 8));
  return svg(
    size,
    boxes.map(({ label, region: { left, top, width, height } }) => {
      const colour = colourOf(label);
      // The line lies inside the box.
      const [x, y] = [left + stroke / 2, top + stroke / 2];
      const [w, h] = [Math.max(width - stroke, 0), Math.max(height - stroke, 0)];
      const box = `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="none" stroke="${colour}" stroke-width="${stroke}"/>`;
      return box + plate(left, Math.max(top - line, 0), line, label, colour);
    }),
  );
}

/** An SVG with lines of text at the upper left corner of a picture of this size. */
export function linesSvg(size: PictureSize, lines: readonly string[]): string {
  const line = lineHeight(size);
  return svg(
    size,
    lines.map((text, index) => plate(0, index * line, line, text, colourOf(text))),
  );
}

function svg({ width, height }: PictureSize, elements: readonly string[]): string {
  const content = elements.join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`;
}

function lineHeight({ height }: PictureSize): number {
  return Math.round(Math.min(Math.max(height / 24, 12), 48));
}

/** Letters on a coloured background, which is visible even if there is no font. */
function plate(left: number, top: number, line: number, text: string, colour: string): string {
  const shown = text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS - 1)}…` : text;
  if (shown === '') return '';
  const size = Math.round(line * 0.75);
  const width = Math.ceil((shown.length + 1) * size * LETTER_WIDTH);
  return (
    `<rect x="${left}" y="${top}" width="${width}" height="${line}" fill="${colour}"/>` +
    `<text x="${left + size * 0.3}" y="${top + line * 0.76}" font-size="${size}" font-family="sans-serif" fill="#fff">` +
    `${escaped(shown)}</text>`
  );
}

/** The same colour for the same kind of object, by the label without its confidence. */
function colourOf(label: string): string {
  let sum = 0;
  for (const letter of label.split(':')[0] ?? '') sum = (sum * 31 + letter.charCodeAt(0)) % 9_973;
  return colours[sum % colours.length] ?? '#000';
}

/** Labels come from elsewhere: removes markup and characters that XML does not allow. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, ' ');
}
