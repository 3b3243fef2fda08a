import { crc32, deflateRaw, inflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import { limits } from './limits.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const FILE_MAGIC = 'ARMDIAG';
const JOURNAL_MAGIC = 'ARMDJNL';
const VERSION = 1;
/** Marks the start of a block, so that blocks after a damaged one are found. */
const MARKER = Buffer.from([0xa2, 0x7e, 0x51, 0xd4]);
/** Offsets in the header of a block. The last field is the checksum of everything between the marker and itself. */
const at = { length: 8, rawLength: 12, firstMs: 16, lastMs: 24, sequence: 32, payloadCrc: 36, headerCrc: 40 } as const;
const HEADER_BYTES = 44;
const CHUNK_HEADER_BYTES = 8;

/** Bytes at the start of a file. */
export const FILE_HEADER_BYTES = FILE_MAGIC.length + 1;
/** Bytes at the start of the open block's file. */
export const JOURNAL_HEADER_BYTES = JOURNAL_MAGIC.length + 1 + 4;

/** A block's header. */
export interface BlockHeader {
  /** Increases by one with each block of a machine. */
  readonly sequence: number;
  /** Earliest and latest time of its samples, wall-clock milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A block in a file. */
export interface StoredBlock extends BlockHeader {
  /** Its records, or undefined where it is damaged. Reads only when it is called. */
  records(): Promise<Uint8Array | undefined>;
}

export function fileHeader(): Buffer {
  return Buffer.concat([Buffer.from(FILE_MAGIC, 'latin1'), Buffer.from([VERSION])]);
}

/** A block, compressed, as it is appended to a file. */
export async function frameBlock(header: BlockHeader, records: Uint8Array): Promise<Buffer> {
  const payload = await deflate(records);
  const head = Buffer.alloc(HEADER_BYTES);
  MARKER.copy(head);
  head.writeUInt32LE(payload.length, at.length);
  head.writeUInt32LE(records.length, at.rawLength);
  head.writeDoubleLE(header.firstMs, at.firstMs);
  head.writeDoubleLE(header.lastMs, at.lastMs);
  head.writeUInt32LE(header.sequence >>> 0, at.sequence);
  head.writeUInt32LE(crc32(payload), at.payloadCrc);
  head.writeUInt32LE(checksumOf(head), at.headerCrc);
  return Buffer.concat([head, payload]);
}

function checksumOf(header: Uint8Array): number {
  return crc32(header.subarray(MARKER.length, at.headerCrc));
}

/**
 * Why a file cannot be read: it is not one of ours, or a newer version of this program wrote it. Undefined if it can be
 * read.
 */
export function fileProblem(file: Buffer): 'not-ours' | 'newer' | undefined {
  if (file.length < FILE_HEADER_BYTES || file.subarray(0, FILE_MAGIC.length).toString('latin1') !== FILE_MAGIC) {
    return 'not-ours';
  }
  return (file[FILE_MAGIC.length] ?? 0) > VERSION ? 'newer' : undefined;
}

/** The blocks of a file. Incomplete or damaged ones are left out: the search continues at the next marker. */
export function* blocksIn(file: Buffer): Generator<StoredBlock, void> {
  let begin = file.indexOf(MARKER, FILE_HEADER_BYTES);
  while (begin >= 0) {
    const header = file.subarray(begin, begin + HEADER_BYTES);
    // The header has its own checksum: its length can be trusted, and skipped blocks need not be read.
    const isWhole = header.length === HEADER_BYTES && checksumOf(header) === header.readUInt32LE(at.headerCrc);
    const end = isWhole ? begin + HEADER_BYTES + header.readUInt32LE(at.length) : Infinity;
    if (end > file.length) {
      begin = file.indexOf(MARKER, begin + MARKER.length);
      continue;
    }
    const payload = file.subarray(begin + HEADER_BYTES, end);
    yield {
      sequence: header.readUInt32LE(at.sequence),
      firstMs: header.readDoubleLE(at.firstMs),
      lastMs: header.readDoubleLE(at.lastMs),
      records: () => recordsOf(payload, header),
    };
    // If no block follows, this one may be incomplete with others appended after it: they start within its length.
    const next = file.indexOf(MARKER, end);
    begin = next === end || end === file.length ? next : file.indexOf(MARKER, begin + MARKER.length);
  }
}

/** Earliest time of the first block in a file; undefined if no block with an intact header is there. */
export function firstTimeIn(file: Buffer): number | undefined {
  const header = file.subarray(FILE_HEADER_BYTES, FILE_HEADER_BYTES + HEADER_BYTES);
  if (header.length < HEADER_BYTES || checksumOf(header) !== header.readUInt32LE(at.headerCrc)) return undefined;
  return header.readDoubleLE(at.firstMs);
}

async function recordsOf(payload: Uint8Array, header: Buffer): Promise<Uint8Array | undefined> {
  const length = header.readUInt32LE(at.rawLength);
  if (length > limits.block || crc32(payload) !== header.readUInt32LE(at.payloadCrc)) return undefined;
  try {
    // A separate limit, because a few bytes can decompress to very many.
    const records = await inflate(payload, { maxOutputLength: Math.max(1, length) });
    return records.length === length ? records : undefined;
  } catch {
    return undefined; // no deflate stream, or a longer one: damaged
  }
}

/** Start of the open block's file. */
export function journalHeader(sequence: number): Buffer {
  const head = Buffer.alloc(JOURNAL_HEADER_BYTES);
  head.write(JOURNAL_MAGIC, 'latin1');
  head.writeUInt8(VERSION, JOURNAL_MAGIC.length);
  head.writeUInt32LE(sequence >>> 0, JOURNAL_MAGIC.length + 1);
  return head;
}

/** Some complete records of the open block, as they are appended to its file. */
export function frameChunk(records: Uint8Array): Buffer {
  const head = Buffer.alloc(CHUNK_HEADER_BYTES);
  head.writeUInt32LE(records.length, 0);
  head.writeUInt32LE(crc32(records), 4);
  return Buffer.concat([head, records]);
}

/** The complete part of the open block; undefined if there is none. */
export function openBlockIn(file: Buffer): { readonly sequence: number; readonly records: Buffer } | undefined {
  if (file.length < JOURNAL_HEADER_BYTES) return undefined;
  if (file.subarray(0, JOURNAL_MAGIC.length).toString('latin1') !== JOURNAL_MAGIC) return undefined;
  if (file[JOURNAL_MAGIC.length] !== VERSION) return undefined;
  const chunks: Buffer[] = [];
  let begin = JOURNAL_HEADER_BYTES;
  while (begin + CHUNK_HEADER_BYTES <= file.length) {
    const end = begin + CHUNK_HEADER_BYTES + file.readUInt32LE(begin);
    if (end > file.length) break;
    const chunk = file.subarray(begin + CHUNK_HEADER_BYTES, end);
    if (crc32(chunk) !== file.readUInt32LE(begin + 4)) break;
    chunks.push(chunk);
    begin = end;
  }
  const records = Buffer.concat(chunks);
  return records.length === 0 ? undefined : { sequence: file.readUInt32LE(JOURNAL_MAGIC.length + 1), records };
}
