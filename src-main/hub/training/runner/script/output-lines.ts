import { StringDecoder } from 'node:string_decoder';

/** Bytes of a line that are kept: a script that writes no line ends must not fill the memory. */
const LONGEST_LINE = 16_384;

/** Makes lines of what a process writes, in whatever pieces it comes. Of a line that is too long the beginning is kept. */
export class OutputLines {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #line = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  /** The last line may have no end. */
  end(): void {
    this.#take(this.#decoder.end());
    if (this.#line !== '') this.#tell();
  }

  #take(text: string): void {
    // A carriage return alone rewrites a line: programs that show progress do so.
    const pieces = text.split(/\r?\n|\r/);
    for (const [index, piece] of pieces.entries()) {
      if (this.#line.length < LONGEST_LINE) this.#line += piece.slice(0, LONGEST_LINE - this.#line.length);
      if (index < pieces.length - 1) this.#tell();
    }
  }

  #tell(): void {
    const line = this.#line;
    this.#line = '';
    if (line.trim() !== '') this.#onLine(line);
  }
}
