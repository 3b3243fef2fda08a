import type { DataCalls, ItemFilter } from '../../../shared/machine/data/data-calls.ts';
import type { ExportFormat, FileSink } from '../../../shared/files/file-sink.ts';
import { CountedFile, type ReadingFile } from './reading-file.ts';
import { CsvFile, JsonLinesFile } from './text-files.ts';

/** Progress is reported every so many readings. */
const PROGRESS_READINGS = 2_000;

export interface ExportProgress {
  readonly readings: number;
  readonly bytes: number;
  /** Time of the last reading, wall-clock ms. */
  readonly at: number | undefined;
  /** How often the file was started again, because readings had fields that earlier ones did not have. */
  readonly restarts: number;
}

export interface ExportOptions {
  /** `to` is required: readings that arrive during the export are not part of it. */
  readonly filter: ItemFilter & { readonly to: number };
  readonly format: ExportFormat;
  readonly sink: FileSink;
  readonly onProgress: (progress: ExportProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes all readings that match a filter to a file, in order of time. A table needs its columns before its first line.
 * It starts with the columns known so far; where a later reading has others, the rest is read for columns only and the
 * file is started again. So readings with the same fields need one pass, and every file is complete.
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
      if (progress.readings % PROGRESS_READINGS === 0) onProgress(progress);
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
      // Loaded on demand, because few exports need it.
      const { ParquetFile } = await import('./parquet-file.ts');
      return new ParquetFile(output);
    }
  }
}

/** File name of an export: `climate-Readings-2026-11-21T10-42-07Z.csv`. */
export function exportName(resource: string, method: string, format: ExportFormat, now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  const safe = [resource, method].map((text) => text.replace(/[^\w.-]+/g, '_')).filter((text) => text !== '');
  return `${[...safe, time].join('-')}Z.${format}`;
}
