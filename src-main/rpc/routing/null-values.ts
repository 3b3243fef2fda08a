import type { ValueShape } from '../../../proto/value-shapes.ts';

/** Deepest nesting that is followed, that of the field's protobuf readers. */
const DEEPEST = 100;
const NULL_VALUE = Uint8Array.of(0x08, 0x00);
/** The value of a map's entry, a null. */
const NULL_IN_ENTRY = Uint8Array.of(0x12, 0x02, 0x08, 0x00);

class Unreadable extends Error {}
const unreadable = new Unreadable();

/** Where reading is. */
let at = 0;

/**
 * A message in which every `google.protobuf.Value` has a kind: one that has none becomes a null. The public Python SDK
 * sends None so, which protobuf calls an error and the public TypeScript SDK cannot read.
 * @returns the same bytes where nothing is missing, and where they are no readable message
 */
export function withNulls(bytes: Uint8Array, shape: ValueShape): Uint8Array {
  try {
    return repaired(bytes, 0, bytes.length, shape, 0) ?? bytes;
  } catch (thrown) {
    // Decoding it reports the error.
    if (thrown instanceof Unreadable) return bytes;
    throw thrown;
  }
}

/** The message from `start` to `end` with nulls where a kind is missing; undefined where nothing is. */
function repaired(
  bytes: Uint8Array,
  start: number,
  end: number,
  { kind, fields }: ValueShape,
  depth: number,
): Uint8Array | undefined {
  if (depth > DEEPEST) throw unreadable;
  let parts: Uint8Array[] | undefined;
  let copiedTo = start;
  let hasValue = kind === 'message';
  at = start;
  while (at < end) {
    const key = varint(bytes);
    const number = key >>> 3;
    // A kind is any of the fields 1 to 6 of a Value; in an entry the value is field 2.
    if (kind === 'value' ? number <= 6 : number === 2) hasValue = true;
    if ((key & 7) !== 2) {
      skip(bytes, key & 7);
      continue;
    }
    const beforeLength = at;
    const length = varint(bytes);
    const contentStart = at;
    const contentEnd = contentStart + length;
    if (contentEnd > end) throw unreadable;
    const inner = fields.get(number);
    const next = inner === undefined ? undefined : repaired(bytes, contentStart, contentEnd, inner, depth + 1);
    if (next !== undefined) {
      (parts ??= []).push(bytes.subarray(copiedTo, beforeLength), encodeVarint(next.length), next);
      copiedTo = contentEnd;
    }
    at = contentEnd;
  }
  if (at !== end) throw unreadable;
  if (parts === undefined && hasValue) return undefined;
  const all = [...(parts ?? []), bytes.subarray(copiedTo, end)];
  if (!hasValue) all.push(kind === 'value' ? NULL_VALUE : NULL_IN_ENTRY);
  return Buffer.concat(all);
}

function varint(bytes: Uint8Array): number {
  let byte = bytes[at++];
  if (byte === undefined) throw unreadable;
  if (byte < 0x80) return byte;
  let value = byte & 0x7f;
  for (let shift = 7; shift < 70; shift += 7) {
    byte = bytes[at++];
    if (byte === undefined) throw unreadable;
    if (shift < 32) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value >>> 0;
  }
  throw unreadable;
}

function skip(bytes: Uint8Array, wireType: number): void {
  if (wireType === 0) varint(bytes);
  else if (wireType === 1) at += 8;
  else if (wireType === 5) at += 4;
  // No message that has Values has groups.
  else throw unreadable;
}

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Uint8Array.from([...bytes, left]);
    bytes.push((left & 0x7f) | 0x80);
  }
}
