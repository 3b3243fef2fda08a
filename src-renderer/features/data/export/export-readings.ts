import type { DataCalls, ItemFilter } from '../../../shared/machine/data/data-calls.ts';
import type { ExportFormat, FileSink } from '../../../shared/files/file-sink.ts';
import { CountedFile, type ReadingFile } from './reading-file.ts';
import { CsvFile, JsonLinesFile } from './text-files.ts';

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

/**
 * Writes all readings that a filter shows to a file, in the order of their time. A table needs its columns before its
 * first line: they are those of the readings so far, and where a later one has others, all are looked through and the
 * file is begun anew. So a file of readings that are alike is written in one go, and any file is whole.
 * @throws {ExportStopped}
 */
export async function exportReadings(
  calls: Pick<DataCalls, 'exportReadings'>,
  { filter, format, sink, onProgress, signal }: ExportOptions,
): Promise<ExportProgress> {
  const output = new CountedFile(sink);
  const file = await fileOf(format, output);
  for (let restarts = 0; ; restarts += 1) {
    file.begin();
    let progress: ExportProgress = { readings: 0, bytes: 0, at: undefined, restarts };
    let isMissingColumns = false;
    for await (const reading of calls.exportReadings(filter, signal)) {
      if (isMissingColumns) file.learn(reading);
      else if (!(await file.add(reading))) {
        isMissingColumns = true;
        file.learn(reading);
      }
      progress = { readings: progress.readings + 1, bytes: output.bytes, at: reading.at, restarts };
      if (progress.readings % readingsToldAtOnce === 0) onProgress(progress);
    }
    signal.throwIfAborted();
    if (!isMissingColumns) {
      await file.end();
      return { ...progress, bytes: output.bytes };
    }
    await output.restart();
  }
}

async function fileOf(format: ExportFormat, output: CountedFile): Promise<ReadingFile> {
  switch (format) {
    case 'csv':
      return new CsvFile(output);
    case 'jsonl':
      return new JsonLinesFile(output);
    case 'parquet': {
      // Few export so, and nobody else needs its code.
      const { ParquetFile } = await import('./parquet-file.ts');
      return new ParquetFile(output);
    }
  }
}

/** Name of a file: `climate-Readings-2026-11-21T10-42-07Z.csv`. */
export function exportName(resource: string, method: string, format: ExportFormat, now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  const safe = [resource, method].map((text) => text.replace(/[^\w.-]+/g, '_')).filter((text) => text !== '');
  return `${[...safe, time].join('-')}Z.${format}`;
}
