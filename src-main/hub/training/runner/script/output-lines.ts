import { StringDecoder } from 'node:string_decoder';

/** Characters of a line that are kept: a script that writes no line breaks must not fill the memory. */
const MAX_LINE_LENGTH = 16_384;

/** Splits the output of a process into lines, however it is chunked. Cuts lines that are too long. */
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

  /** Ends the output. The last line may have no line break. */
  end(): void {
    this.#take(this.#decoder.end());
    if (this.#line !== '') this.#emit();
  }

  #take(text: string): void {
    // A lone carriage return ends a line too: programs use it to show progress.
    const pieces = text.split(/\r?\n|\r/);
    for (const [index, piece] of pieces.entries()) {
      if (this.#line.length < MAX_LINE_LENGTH) this.#line += piece.slice(0, MAX_LINE_LENGTH - this.#line.length);
      if (index < pieces.length - 1) this.#emit();
    }
  }

  #emit(): void {
    const line = this.#line;
    this.#line = '';
    if (line.trim() !== '') this.#onLine(line);
  }
}
