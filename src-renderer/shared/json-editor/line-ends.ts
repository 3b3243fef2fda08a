/**
 * Converts offsets between a text and an editor of it. The editor counts each line
 * end as one character: a `\r\n` stays in the text but is never in the editor.
 */
export class LineEnds {
  /** Offsets in the editor after which the text has one more character. */
  readonly #pairs: readonly number[];
  /** The line end for new lines: that of the first line. */
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

  /** The number of pairs before a place; `isBefore` decides for each index. */
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

/** The text as the editor has it. */
export function editorText(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
