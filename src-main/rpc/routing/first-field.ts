import { ArmatureError } from '../../base/errors.ts';

/** Deepest nesting of groups (wire types 3 and 4) that is followed; no message of ours has any. */
const MAX_GROUP_DEPTH = 16;

const malformed = (): ArmatureError =>
  new ArmatureError(
    'call.bad_argument',
    'The request is not a readable protobuf message: it ends in the middle of a field.',
  );

/** Reads a base-128 number at `cursor.at`, low 32 bits; lengths and keys never need more. */
function readVarint(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) throw malformed();
    if (shift < 32) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value >>> 0;
  }
  throw malformed();
}

function skipField(bytes: Uint8Array, cursor: { at: number }, key: number, depth: number): void {
  switch (key & 7) {
    case 0:
      readVarint(bytes, cursor);
      return;
    case 1:
      cursor.at += 8;
      return;
    case 2: {
      const length = readVarint(bytes, cursor);
      cursor.at += length;
      return;
    }
    case 3:
      if (depth >= MAX_GROUP_DEPTH) throw malformed();
      for (;;) {
        const inner = readVarint(bytes, cursor);
        if ((inner & 7) === 4) return;
        skipField(bytes, cursor, inner, depth + 1);
      }
    case 5:
      cursor.at += 4;
      return;
    default:
      throw malformed();
  }
}

/** Short names are read here: for a few bytes this is quicker than a call into the engine's decoder. */
function decodeText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > 24) return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
  let text = '';
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number;
    if (byte >= 0x80) return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
    text += String.fromCharCode(byte);
  }
  return text;
}

/**
 * Reads field 1 of an encoded message as a string, without decoding the rest: by convention it
 * names the resource. Fields may come in any order; of several, the last counts, as for any
 * protobuf reader.
 * @returns '' when the field is absent
 * @throws ArmatureError `call.bad_argument` when the bytes are not a protobuf message
 */
export function readFirstField(bytes: Uint8Array): string {
  const cursor = { at: 0 };
  let start = 0;
  let end = 0;
  while (cursor.at < bytes.length) {
    const key = readVarint(bytes, cursor);
    if (key === 0x0a) {
      const length = readVarint(bytes, cursor);
      start = cursor.at;
      end = start + length;
      cursor.at = end;
    } else {
      skipField(bytes, cursor, key, 0);
    }
    if (cursor.at > bytes.length) throw malformed();
  }
  return start === end ? '' : decodeText(bytes, start, end);
}

/** The message with another text in field 1: of several, the last counts, as for any protobuf reader. */
export function withFirstField(bytes: Uint8Array, text: string): Uint8Array {
  const value = Buffer.from(text, 'utf8');
  if (value.length > 0x7f) throw new ArmatureError('internal.bug', `"${text.slice(0, 60)}..." is too long for a name.`);
  return Buffer.concat([bytes, Uint8Array.of(0x0a, value.length), value]);
}
