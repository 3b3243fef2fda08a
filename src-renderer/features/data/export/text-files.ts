import type { ExportedReading } from '../../../shared/machine/data/data-calls.ts';
import { CsvColumns } from './csv.ts';
import { ExportStopped, MAX_COLUMNS, type CountedFile, type ReadingFile } from './reading-file.ts';

/** Text is written in pieces of at least this length. */
const PIECE_CHARS = 256 * 1024;

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
    if (this.#columns.count > MAX_COLUMNS) throw new ExportStopped('columns');
  }

  end(): Promise<void> {
    return this.#lines.flush();
  }
}

/** The complete readings, one JSON object per line. */
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

/** Collects lines into pieces, because a write for each line would be slow. */
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
    if (this.#chars >= PIECE_CHARS) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const piece = this.#lines.join('');
    this.clear();
    await this.#file.write(piece);
  }
}
