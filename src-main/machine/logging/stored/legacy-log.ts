import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';
import { endOf, fromStoredLine, MAX_STORED_LINE, placeOf } from './stored-line.ts';

/** Bytes read at once. */
const CHUNK_BYTES = 256 * 1024;
/** Longest line that we write, bytes. */
const LONGEST_LINE_BYTES = 4 * 1024 * 1024;
/** Has room for the last complete line, even with multi-byte characters, and an incomplete one after it. */
const LAST_BYTES = 2 * MAX_STORED_LINE * 3;
const NAME = /^log-(\d{16})\.jsonl$/;
const NEWLINE = 0x0a;

/**
 * The files of JSON lines that an earlier version left, oldest first: each is named after its first number.
 * Throws as the file system does.
 */
export function legacyFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => path.join(folder, name));
}

/**
 * The number after the last entry of an earlier version, or undefined if it left none. Throws errors of the file
 * system.
 * @param gap numbers that a killed run may have logged without storing
 */
export function seqAfterLegacy(folder: string, gap: number): number | undefined {
  const newest = legacyFiles(folder).at(-1);
  if (newest === undefined) return undefined;
  const lines = tailOf(newest)
    .split('\n')
    .filter((line) => line !== '');
  const end = endOf(lines.at(-1) ?? '');
  if (end !== undefined) return end + 1;
  const last = lines.findLast((line) => fromStoredLine(line) !== undefined);
  const named = Number(NAME.exec(path.basename(newest))?.[1] ?? 0);
  return (last === undefined ? named : (placeOf(last)?.seq ?? named)) + gap;
}

function tailOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const start = Math.max(0, size - LAST_BYTES);
    const bytes = Buffer.alloc(size - start);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, start));
  } finally {
    closeSync(descriptor);
  }
}

/** Complete lines of a file, in blocks. Throws errors of the file system. */
export function* linesOf(file: string): Generator<string> {
  const descriptor = openSync(file, 'r');
  try {
    let rest = Buffer.alloc(0);
    for (let offset = 0; ;) {
      const bytes = Buffer.alloc(CHUNK_BYTES);
      const count = readSync(descriptor, bytes, 0, CHUNK_BYTES, offset);
      if (count === 0) break;
      offset += count;
      const read = Buffer.concat([rest, bytes.subarray(0, count)]);
      const end = read.lastIndexOf(NEWLINE) + 1;
      rest = read.subarray(end);
      if (rest.length > LONGEST_LINE_BYTES) rest = Buffer.alloc(0);
      if (end > 0) yield read.toString('utf8', 0, end);
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Target of the imported files. */
export interface ImportTarget {
  insert(text: string): void;
  /** Flushes to the disk, before the file that held the entries is removed. */
  sync(): void;
}

/**
 * Imports the files of an earlier version, newest first, one block per step, and deletes each file when all of it is on
 * the disk. If interrupted, it starts again with the same file: stored entries are skipped.
 * @param onTrouble called with a file that is left unchanged, and the reason
 */
export function* importLegacyLog(
  folder: string,
  target: () => ImportTarget,
  onTrouble: (message: string) => void,
): Generator<undefined> {
  for (const file of legacyFiles(folder).reverse()) {
    try {
      for (const text of linesOf(file)) {
        target().insert(text);
        yield;
      }
      target().sync();
      rmSync(file);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      onTrouble(`${file} of an earlier version could not be read in and stays: ${why}. The next start tries again.`);
    }
    yield;
  }
}
