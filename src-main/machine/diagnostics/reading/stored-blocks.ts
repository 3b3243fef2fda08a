import { setImmediate } from 'node:timers/promises';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../../base/errors.ts';
import { blocksIn, fileProblem, firstTimeIn, openBlockIn } from '../format/framing.ts';
import type { UnwrittenBlock } from '../recording/block-writer.ts';
import { fileNumbers, JOURNAL_FILE, recordFile } from '../recording/file-names.ts';

/** Times, wall-clock milliseconds, both included. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Receives each problem of reading once: sentences for people, without a full stop. */
export type OnUnreadable = (what: string) => void;

/** Bytes at the start of a file that contain the header of its first block, if that is complete. */
const HEAD_BYTES = 64;
/** Largest file that is read; writers keep to 10 MiB. */
const LARGEST_FILE = 32 * 1024 * 1024;

/**
 * The records of all blocks in a folder that may have samples in a time range, oldest first, unwritten ones last. Works
 * while a server is writing. Damaged blocks are left out and reported.
 * @param unwritten blocks of the recorder in this process; without it, the open block is read from its file
 */
export async function* storedBlocks(
  folder: string,
  range: TimeRange,
  unwritten: readonly UnwrittenBlock[] | undefined,
  onUnreadable: OnUnreadable,
): AsyncGenerator<Uint8Array, void> {
  // Read first: a block that is appended in the meantime is then in both and recognized by its number. Otherwise it
  // might be in neither.
  const open = unwritten ?? (await openBlock(folder));
  let last = 0;
  for (const number of await filesOf(folder, range)) {
    const content = await contentOf(recordFile(folder, number), onUnreadable);
    if (content === undefined) continue;
    for (const block of blocksIn(content)) {
      last = Math.max(last, block.sequence);
      if (block.lastMs < range.from || block.firstMs > range.to) continue;
      const records = await block.records();
      if (records === undefined) onUnreadable(`a block of ${recordFile(folder, number)} is damaged`);
      else yield records;
      // Reading many blocks must not delay a motor that is controlled from the same thread.
      await setImmediate();
    }
  }
  for (const { sequence, records } of open) if (sequence > last) yield records;
}

/**
 * Names of the files in a folder that may have samples in a time range, oldest first; without the file of the open
 * block.
 */
export async function filesWithin(folder: string, range: TimeRange): Promise<readonly string[]> {
  return (await filesOf(folder, range)).map((number) => path.basename(recordFile(folder, number)));
}

async function openBlock(folder: string): Promise<readonly UnwrittenBlock[]> {
  try {
    return [openBlockIn(await readFile(path.join(folder, JOURNAL_FILE))) ?? []].flat();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

/**
 * Files that may have samples in a time range: a file covers the time from its first block to the first block of the
 * next file. If the clock was set back in between, that is unknown, so the file is read.
 */
async function filesOf(folder: string, { from, to }: TimeRange): Promise<readonly number[]> {
  const numbers = fileNumbers(await readdir(folder));
  const firsts = await Promise.all(numbers.map((number) => firstTimeOf(recordFile(folder, number))));
  return numbers.filter((_, index) => {
    const [first, next] = [firsts[index], firsts[index + 1]];
    if (first === undefined) return true;
    if (next === undefined) return first <= to || index < numbers.length - 1;
    return next < first || (first <= to && next >= from);
  });
}

async function firstTimeOf(file: string): Promise<number | undefined> {
  try {
    const handle = await open(file, 'r');
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0);
      return firstTimeIn(head.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch {
    return undefined; // gone, or not readable: reading it reports that
  }
}

async function contentOf(file: string, onUnreadable: OnUnreadable): Promise<Buffer | undefined> {
  try {
    const { size } = await stat(file);
    // It was created for a block that then had no room.
    if (size === 0) return undefined;
    const content = size > LARGEST_FILE ? undefined : await readFile(file);
    const problem = content === undefined ? 'too-large' : fileProblem(content);
    if (problem === undefined) return content;
    onUnreadable(`${file} ${problems[problem]}`);
  } catch (thrown) {
    // The ring deletes its oldest file while others are reading.
    if (codeOf(thrown) !== 'ENOENT') onUnreadable(`${file} cannot be read (${codeOf(thrown)})`);
  }
  return undefined;
}

const problems = {
  'not-ours': 'is no file of diagnostics',
  newer: 'is of a newer version of this program',
  'too-large': 'is larger than any file of diagnostics',
} as const;

/** Time of the newest sample in a folder, from its full blocks; undefined if there is none. */
export async function newestTime(folder: string): Promise<number | undefined> {
  for (const number of fileNumbers(await readdir(folder)).reverse()) {
    const content = await contentOf(recordFile(folder, number), () => undefined);
    let newest: number | undefined;
    for (const { lastMs } of content === undefined ? [] : blocksIn(content))
      newest = Math.max(newest ?? lastMs, lastMs);
    if (newest !== undefined) return newest;
  }
  return undefined;
}
