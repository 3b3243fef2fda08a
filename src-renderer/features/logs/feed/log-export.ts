import type { Machine } from '../../../shared/machine/machine.ts';
import type { LogCriteria } from '../../../shared/machine/machine-view.ts';
import { lineAs, type LogFormat } from '../log-text.ts';

/** Lines of one download at most. The stored log holds about as many ordinary ones. */
export const exportLimit = 500_000;
const pageLines = 1_000;

export interface ExportProgress {
  readonly lines: number;
  /** Time down to which the log was read, ms. */
  readonly searchedTo: number | undefined;
}

export interface LogExport {
  readonly blob: Blob;
  readonly lines: number;
  /** Whether there are older lines beyond the limit. */
  readonly isCut: boolean;
  /** Sentences that name what could not be read. */
  readonly unreadable: readonly string[];
}

export interface ExportOptions {
  readonly criteria: LogCriteria;
  /** Number of the newest line that is wanted. */
  readonly upTo: number;
  readonly format: LogFormat;
  /** Lines at most. */
  readonly limit: number;
  readonly onProgress: (progress: ExportProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Every line that a filter shows, from the machine's stored log, in the order
 * they were written. What is logged meanwhile is not part of it.
 */
export async function exportLog(machine: Pick<Machine, 'queryLogs'>, options: ExportOptions): Promise<LogExport> {
  const { criteria, upTo, format, limit: most, onProgress, signal } = options;
  const pieces: string[] = [];
  const unreadable = new Set<string>();
  let lines = 0;
  let olderToken = '';
  let searchedTo: number | undefined;
  do {
    const limit = Math.min(pageLines, most - lines);
    const page = await machine.queryLogs({ criteria, afterSeq: 0, beforeSeq: upTo + 1, limit, olderToken }, signal);
    signal.throwIfAborted();
    pieces.push(page.lines.map((line) => lineAs(format, line)).join(''));
    lines += page.lines.length;
    olderToken = page.olderToken;
    searchedTo = page.searchedTo ?? searchedTo;
    for (const sentence of page.unreadable) unreadable.add(sentence);
    onProgress({ lines, searchedTo });
  } while (olderToken !== '' && lines < most);
  return {
    blob: new Blob(pieces.reverse(), { type: 'text/plain' }),
    lines,
    isCut: olderToken !== '',
    unreadable: [...unreadable],
  };
}

/** Name of a download: `armature-log-2026-11-21T10-42-07Z.jsonl`. */
export function exportName(format: LogFormat, now: number): string {
  return `armature-log-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}Z.${format}`;
}
