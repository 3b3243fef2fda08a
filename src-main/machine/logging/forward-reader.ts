import { open } from 'node:fs/promises';
import type { LogLevel } from '../../base/logger.ts';
import type { LogEntry } from './log-entry.ts';
import type { Segment } from './log-segments.ts';
import { fromStoredLine, placeOf } from './stored-line.ts';

/** Bytes read at once: longer than any line of ours. */
const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** A piece of the log in its order. */
export interface LogStretch {
  readonly entries: readonly LogEntry[];
  /** Number of the last entry that was looked at, wanted or not; where to go on. */
  readonly lastSeq: number;
}

/** Reads the files of the stored log from the oldest on, in pieces, and remembers where it was. */
export class ForwardReader {
  readonly #segments: () => readonly Segment[];
  /** Where the entry after `seq` begins. */
  #place: { readonly path: string; readonly offset: number; readonly seq: number } | undefined;

  constructor(segments: () => readonly Segment[]) {
    this.#segments = segments;
  }

  /**
   * The entries after a number: what was written away meanwhile is left out, and at most so many that it costs little.
   * Where there are none, `lastSeq` is `afterSeq`. Rejects as the file system does.
   */
  async next(afterSeq: number, levels: ReadonlySet<LogLevel>, most: number): Promise<LogStretch> {
    const entries: LogEntry[] = [];
    let lastSeq = afterSeq;
    for (const segment of this.#from(afterSeq)) {
      const known = this.#place;
      let offset = known?.path === segment.path && known.seq === lastSeq ? known.offset : 0;
      for (;;) {
        const lines = await readLines(segment.path, offset);
        if (lines === undefined || lines.length === 0) break;
        for (let at = 0; at < lines.length;) {
          const end = lines.indexOf(NEWLINE, at) + 1;
          const place = placeOf(lines.toString('latin1', at, Math.min(end, at + 64)));
          if (place !== undefined && place.seq > lastSeq) {
            if (entries.length === most) {
              this.#place = { path: segment.path, offset: offset + at, seq: lastSeq };
              return { entries, lastSeq };
            }
            lastSeq = place.seq;
            const entry = fromStoredLine(lines.toString('utf8', at, end).trimEnd());
            if (entry !== undefined && levels.has(entry.level)) entries.push(entry);
          }
          at = end;
        }
        offset += lines.length;
        this.#place = { path: segment.path, offset, seq: lastSeq };
        if (lastSeq > afterSeq) return { entries, lastSeq };
      }
    }
    return { entries, lastSeq };
  }

  /** How many files follow the one that the entry after a number is in. */
  filesBehind(afterSeq: number): number {
    return Math.max(0, this.#from(afterSeq).length - 1);
  }

  /** The file that may hold the next entry, and those after it. */
  #from(afterSeq: number): readonly Segment[] {
    const segments = this.#segments();
    const last = segments.findLastIndex(({ firstSeq }) => firstSeq <= afterSeq + 1);
    return segments.slice(Math.max(last, 0));
  }
}

/** Whole lines from an offset on; empty at the end of what is written, undefined for a file that is there no more. */
async function readLines(path: string, offset: number): Promise<Buffer | undefined> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
  try {
    const bytes = Buffer.alloc(CHUNK_BYTES);
    const { bytesRead } = await file.read(bytes, 0, CHUNK_BYTES, offset);
    const read = bytes.subarray(0, bytesRead);
    return read.subarray(0, read.lastIndexOf(NEWLINE) + 1);
  } finally {
    await file.close();
  }
}
