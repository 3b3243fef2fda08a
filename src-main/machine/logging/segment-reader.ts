import { open, type FileHandle } from 'node:fs/promises';
import { placeOf } from './stored-line.ts';

/** Bytes read at once: few enough that looking through them is not felt by what moves. */
export const CHUNK_BYTES = 256 * 1024;
/** Read to find where a line begins. */
const PROBE_BYTES = 16 * 1024;
/** A line longer than this is none of ours and is passed over. */
const LONGEST_LINE_BYTES = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Whole lines, as they are in the file. */
export interface LineBlock {
  readonly text: string;
  /** Whether the file holds nothing before them. */
  readonly isFirst: boolean;
}

/**
 * The lines of a file from its end back to its beginning, a block at a time.
 * @param beforeSeq leaves out entries from this one on, without reading them all
 */
export async function* readBack(path: string, beforeSeq: number): AsyncGenerator<LineBlock> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    let end = await findSeq(file, size, beforeSeq);
    // Of a line whose beginning is still to be read, latest part last.
    let rest: Buffer[] = [];
    let restBytes = 0;
    while (end > 0) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const bytes = await readAt(file, start, end - start);
      end = start;
      const lineStart = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
      if (start > 0 && lineStart === 0) {
        restBytes += bytes.length;
        rest = restBytes > LONGEST_LINE_BYTES ? [] : [bytes, ...rest];
        continue;
      }
      const text = Buffer.concat([bytes.subarray(lineStart), ...rest]).toString('utf8');
      rest = lineStart === 0 ? [] : [bytes.subarray(0, lineStart)];
      restBytes = lineStart;
      if (text !== '' || start === 0) yield { text, isFirst: start === 0 };
    }
  } finally {
    await file.close();
  }
}

/** Where to read back from: just before the line of the first entry that is not before `seq`. By halving. */
async function findSeq(file: FileHandle, size: number, seq: number): Promise<number> {
  if (seq === Infinity) return size;
  // Entries before `low` are before `seq`; those from `high` on are not.
  let low = 0;
  let high = size;
  while (high - low > PROBE_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const found = await lineAfter(file, middle, high);
    if (found === undefined || found.seq >= seq) high = middle;
    else low = found.offset;
  }
  // What is left is short, and the reader leaves out what is not before `seq`.
  return high === size ? size : Math.min(size, await lineEndAfter(file, high, size));
}

/** The first line with a number that begins after an offset. */
async function lineAfter(
  file: FileHandle,
  offset: number,
  limit: number,
): Promise<{ readonly offset: number; readonly seq: number } | undefined> {
  for (let position = offset; position < limit; position += PROBE_BYTES) {
    const bytes = await readAt(file, position, Math.min(2 * PROBE_BYTES, limit - position));
    for (let newline = bytes.indexOf(NEWLINE); newline >= 0; newline = bytes.indexOf(NEWLINE, newline + 1)) {
      const place = placeOf(bytes.toString('latin1', newline + 1, newline + 65));
      if (place !== undefined) return { offset: position + newline + 1, seq: place.seq };
    }
  }
  return undefined;
}

/** The end of the line that an offset is in. */
async function lineEndAfter(file: FileHandle, offset: number, size: number): Promise<number> {
  for (let position = offset; position < size; position += PROBE_BYTES) {
    const bytes = await readAt(file, position, Math.min(PROBE_BYTES, size - position));
    const newline = bytes.indexOf(NEWLINE);
    if (newline >= 0) return position + newline + 1;
  }
  return size;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    // The file ended sooner than it said: somebody cut it.
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
