/**
 * Offsets in a text and in an editor of it. An editor counts each end of a line
 * as one character, whatever it is in the text: `\r\n` stays in the text and is
 * never in the editor.
 */
export class LineEnds {
  /** Offsets in the editor behind which the text has one character more. */
  readonly #pairs: readonly number[];
  /** What a new line gets: as the first line has it. */
  readonly eol: string;

  constructor(text: string) {
    const pairs: number[] = [];
    for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) pairs.push(at - pairs.length);
    this.#pairs = pairs;
    this.eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  }

  inText(offset: number): number {
    return offset + this.#pairsBefore((index) => (this.#pairs[index] ?? 0) < offset);
  }

  inEditor(offset: number): number {
    return offset - this.#pairsBefore((index) => (this.#pairs[index] ?? 0) + index + 1 < offset);
  }

  /** How many pairs are before a place; `isBefore` says it of one. */
  #pairsBefore(isBefore: (index: number) => boolean): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A text as an editor has it. */
export function editorText(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
