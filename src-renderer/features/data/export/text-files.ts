import type { ExportedReading } from '../../../shared/machine/data/data-calls.ts';
import { CsvColumns } from './csv.ts';
import { ExportStopped, mostColumns, type CountedFile, type ReadingFile } from './reading-file.ts';

/** Text that is written at once. */
const pieceChars = 256 * 1024;

/** A table with the time of each reading and a column for each field. */
export class CsvFile implements ReadingFile {
  readonly #columns = new CsvColumns();
  readonly #lines: PieceWriter;
  #isHeaded = false;

  constructor(file: CountedFile) {
    this.#lines = new PieceWriter(file);
  }

  begin(): void {
    this.#lines.clear();
    this.#isHeaded = false;
  }

  async add(reading: ExportedReading): Promise<boolean> {
    if (!this.#isHeaded && this.#columns.count === 0) this.learn(reading);
    const line = this.#columns.line(reading);
    if (line === undefined) return false;
    await this.#lines.add(this.#isHeaded ? line : this.#columns.header() + line);
    this.#isHeaded = true;
    return true;
  }

  learn({ payload }: ExportedReading): void {
    this.#columns.add(payload);
    if (this.#columns.count > mostColumns) throw new ExportStopped('columns');
  }

  end(): Promise<void> {
    return this.#lines.flush();
  }
}

/** Everything that was captured, one JSON object a line. */
export class JsonLinesFile implements ReadingFile {
  readonly #lines: PieceWriter;

  constructor(file: CountedFile) {
    this.#lines = new PieceWriter(file);
  }

  begin(): void {
    this.#lines.clear();
  }

  async add({ at, origin, tags, payload }: ExportedReading): Promise<boolean> {
    const line = {
      time: new Date(at).toISOString(),
      machine: origin?.robotName,
      part: origin?.partName,
      resource: origin?.componentName,
      type: origin?.componentType,
      method: origin?.methodName,
      tags: tags.length === 0 ? undefined : tags,
      payload,
    };
    await this.#lines.add(`${JSON.stringify(line)}\n`);
    return true;
  }

  learn(): void {
    // Any reading fits.
  }

  end(): Promise<void> {
    return this.#lines.flush();
  }
}

/** Gathers lines into pieces: a write for each line would take most of the time. */
class PieceWriter {
  readonly #file: CountedFile;
  #lines: string[] = [];
  #chars = 0;

  constructor(file: CountedFile) {
    this.#file = file;
  }

  clear(): void {
    this.#lines = [];
    this.#chars = 0;
  }

  async add(line: string): Promise<void> {
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#chars >= pieceChars) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const piece = this.#lines.join('');
    this.clear();
    await this.#file.write(piece);
  }
}
