import type { Machine } from '../../../shared/machine/machine.ts';
import type { LogCriteria } from '../../../shared/machine/machine-view.ts';
import { lineAs, type LogFormat } from '../log-text.ts';

/** The most lines in one download: about as many as the stored log usually holds. */
export const MAX_EXPORT_LINES = 500_000;
const pageLines = 1_000;

export interface ExportProgress {
  readonly lines: number;
  /** The log has been read back to this time, ms. */
  readonly searchedTo: number | undefined;
}

export interface LogExport {
  readonly blob: Blob;
  readonly lines: number;
  /** Whether older lines were left out because of the limit. */
  readonly isCut: boolean;
  /** Sentences that say what could not be read. */
  readonly unreadable: readonly string[];
}

export interface ExportOptions {
  readonly criteria: LogCriteria;
  /** Number of the newest line to export. */
  readonly upTo: number;
  readonly format: LogFormat;
  /** The most lines to export. */
  readonly limit: number;
  readonly onProgress: (progress: ExportProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Exports every matching line of the machine's stored log, oldest first. Lines logged meanwhile are not included.
 * @throws if a read fails or is aborted
 */
export async function exportLog(machine: Pick<Machine, 'queryLogs'>, options: ExportOptions): Promise<LogExport> {
  const { criteria, upTo, format, limit: maxLines, onProgress, signal } = options;
  const pieces: string[] = [];
  const unreadable = new Set<string>();
  let lines = 0;
  let olderToken = '';
  let searchedTo: number | undefined;
  do {
    const limit = Math.min(pageLines, maxLines - lines);
    const page = await machine.queryLogs({ criteria, afterSeq: 0, beforeSeq: upTo + 1, limit, olderToken }, signal);
    signal.throwIfAborted();
    pieces.push(page.lines.map((line) => lineAs(format, line)).join(''));
    lines += page.lines.length;
    olderToken = page.olderToken;
    searchedTo = page.searchedTo ?? searchedTo;
    for (const sentence of page.unreadable) unreadable.add(sentence);
    onProgress({ lines, searchedTo });
  } while (olderToken !== '' && lines < maxLines);
  return {
    blob: new Blob(pieces.reverse(), { type: 'text/plain' }),
    lines,
    isCut: olderToken !== '',
    unreadable: [...unreadable],
  };
}

/** File name of a download: `armature-log-2026-11-21T10-42-07Z.jsonl`. */
export function exportName(format: LogFormat, now: number): string {
  return `armature-log-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}Z.${format}`;
}
