import { StringDecoder } from 'node:string_decoder';

/** A longer line is cut, with a mark: what a program prints must not fill the memory. */
export const LONGEST_LINE = 64 * 1024;

/** Cuts what a program prints into lines, however it comes and however long they are. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #begun = '';
  /** The rest of a line whose beginning was given already. */
  #isSkipping = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(bytes: Buffer): void {
    this.#take(this.#decoder.write(bytes));
  }

  /** Gives what has no end of line. */
  end(): void {
    this.#take(this.#decoder.end());
    if (this.#begun !== '') this.#onLine(this.#begun);
    this.#begun = '';
  }

  #take(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#add(line);
      if (!this.#isSkipping) this.#onLine(this.#begun.replace(/\r$/, ''));
      this.#begun = '';
      this.#isSkipping = false;
    }
    this.#add(last);
  }

  #add(text: string): void {
    if (this.#isSkipping) return;
    this.#begun += text;
    if (this.#begun.length <= LONGEST_LINE) return;
    this.#onLine(`${this.#begun.slice(0, LONGEST_LINE)} ... (cut)`);
    this.#begun = '';
    this.#isSkipping = true;
  }
}
