import { crc32 } from 'node:zlib';

/**
 * A capture file consists of records, each with its length and a checksum, so that an incomplete end after a crash or a
 * power cut is recognized.
 *
 *     bytes 0 to 3   length of the body, little-endian
 *     bytes 4 to 7   CRC-32 of the body (ISO 3309, as zlib has it), little-endian
 *     bytes 8 ...    the body: 1 byte for what it is, 2 bytes for the stream it is of (little-endian), then its content
 */
const HEAD_BYTES = 8;
const BODY_HEAD_BYTES = 3;

/** Limit for one record: a longer one is damage, not data. */
export const MAX_RECORD_BYTES = 96 * 1024 * 1024;

export type RecordKind = 'file' | 'stream' | 'reading';

const kinds: readonly RecordKind[] = ['file', 'stream', 'reading'];

export interface CaptureRecord {
  /**
   * `file` is the first record of each file and contains its id; `stream` contains what all readings of a stream have
   * in common.
   */
  readonly kind: RecordKind;
  /** Number of the stream within the file. */
  readonly stream: number;
  /** A view of the buffer that was read. */
  readonly content: Uint8Array;
  /** Start offset in the file. */
  readonly offset: number;
}

/** The header of a record. The content is not copied. */
export function recordHead(kind: RecordKind, stream: number, content: Uint8Array): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES + BODY_HEAD_BYTES);
  head.writeUInt32LE(BODY_HEAD_BYTES + content.length, 0);
  head.writeUInt8(kinds.indexOf(kind), HEAD_BYTES);
  head.writeUInt16LE(stream, HEAD_BYTES + 1);
  head.writeUInt32LE(crc32(content, crc32(head.subarray(HEAD_BYTES))), 4);
  return head;
}

/** The records of a file, in order, up to the first incomplete one. */
export function* readRecords(file: Buffer): Generator<CaptureRecord> {
  for (let offset = 0; ;) {
    const record = recordAt(file, offset);
    if (record === undefined) return;
    yield record;
    offset += HEAD_BYTES + BODY_HEAD_BYTES + record.content.length;
  }
}

function recordAt(file: Buffer, offset: number): CaptureRecord | undefined {
  if (file.length - offset < HEAD_BYTES + BODY_HEAD_BYTES) return undefined;
  const length = file.readUInt32LE(offset);
  const start = offset + HEAD_BYTES;
  if (length < BODY_HEAD_BYTES || length > MAX_RECORD_BYTES || length > file.length - start) return undefined;
  const body = file.subarray(start, start + length);
  if (crc32(body) !== file.readUInt32LE(offset + 4)) return undefined;
  const kind = kinds[body.readUInt8(0)];
  if (kind === undefined) return undefined;
  return { kind, stream: body.readUInt16LE(1), content: body.subarray(BODY_HEAD_BYTES), offset };
}
