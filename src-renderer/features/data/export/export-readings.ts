import type { DataCalls, ExportedReading, ItemFilter } from '../../../shared/machine/data/data-calls.ts';
import { CsvColumns } from './csv.ts';
import type { ExportFormat, FileSink } from './file-sink.ts';

/** Columns of a table, at most: programs that read CSV take few more. */
export const mostColumns = 10_000;
/** Text that is written at once. */
const pieceChars = 256 * 1024;
const readingsToldAtOnce = 2_000;

export interface ExportProgress {
  readonly readings: number;
  readonly bytes: number;
  /** Time of the latest reading that was written, wall-clock ms. */
  readonly at: number | undefined;
  /** Begun anew, since readings had fields that those before them did not have. */
  readonly restarts: number;
}

export interface ExportOptions {
  /** Both sides of its time may be open, but `to`: what comes meanwhile is not part of it. */
  readonly filter: ItemFilter & { readonly to: number };
  readonly format: ExportFormat;
  readonly sink: FileSink;
  readonly onProgress: (progress: ExportProgress) => void;
  readonly signal: AbortSignal;
}

/** Why an export came to its end early, for the page to say in words. */
export class ExportStopped extends Error {
  readonly reason: 'memory' | 'columns';

  constructor(reason: 'memory' | 'columns') {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Writes all readings that a filter shows to a file, in the order of their time. A table needs its columns before its
 * first line: they are those of the readings so far, and where a later one has others, all are looked through and the
 * file is begun anew. So a file of readings that are alike is written in one go, and any file is whole.
 */
export async function exportReadings(
  calls: Pick<DataCalls, 'exportReadings'>,
  options: ExportOptions,
): Promise<ExportProgress> {
  const { filter, format, sink, onProgress, signal } = options;
  const columns = new CsvColumns();
  let restarts = 0;
  for (;;) {
    const text = new PieceWriter(sink);
    let progress: ExportProgress = { readings: 0, bytes: 0, at: undefined, restarts };
    let isMissingColumns = false;
    for await (const reading of calls.exportReadings(filter, signal)) {
      const line = format === 'csv' ? csvOf(reading, columns, progress.readings === 0, restarts) : jsonOf(reading);
      if (line === undefined) {
        isMissingColumns = true;
        columns.add(reading.payload);
      } else if (!isMissingColumns) await text.add(line);
      if (columns.count > mostColumns) throw new ExportStopped('columns');
      progress = { readings: progress.readings + 1, bytes: text.bytes, at: reading.at, restarts };
      if (progress.readings % readingsToldAtOnce === 0) onProgress(progress);
    }
    signal.throwIfAborted();
    if (!isMissingColumns) {
      await text.flush();
      return { ...progress, bytes: text.bytes };
    }
    restarts += 1;
    await sink.restart();
  }
}

/** The line of a reading, after the header where it is the first; undefined where columns are missing. */
function csvOf(reading: ExportedReading, columns: CsvColumns, isFirst: boolean, restarts: number): string | undefined {
  if (isFirst && restarts === 0) columns.add(reading.payload);
  const line = columns.line(reading);
  return isFirst && line !== undefined ? columns.header() + line : line;
}

function jsonOf({ at, origin, tags, payload }: ExportedReading): string {
  return `${JSON.stringify({
    time: new Date(at).toISOString(),
    machine: origin?.robotName,
    part: origin?.partName,
    resource: origin?.componentName,
    type: origin?.componentType,
    method: origin?.methodName,
    tags: tags.length === 0 ? undefined : tags,
    payload,
  })}\n`;
}

/** Gathers lines into pieces: a write for each line would take most of the time. */
class PieceWriter {
  readonly #sink: FileSink;
  #lines: string[] = [];
  #chars = 0;
  #bytes = 0;

  constructor(sink: FileSink) {
    this.#sink = sink;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async add(line: string): Promise<void> {
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#chars >= pieceChars) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const piece = this.#lines.join('');
    this.#lines = [];
    this.#chars = 0;
    this.#bytes += new TextEncoder().encode(piece).length;
    const { limitBytes = Infinity } = this.#sink;
    if (this.#bytes > limitBytes) throw new ExportStopped('memory');
    await this.#sink.write(piece);
  }
}

/** Name of a file: `climate-Readings-2026-11-21T10-42-07Z.csv`. */
export function exportName(resource: string, method: string, format: ExportFormat, now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  const safe = [resource, method].map((text) => text.replace(/[^\w.-]+/g, '_')).filter((text) => text !== '');
  return `${[...safe, time].join('-')}Z.${format}`;
}
