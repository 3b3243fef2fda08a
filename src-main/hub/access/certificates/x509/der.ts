/**
 * The subset of DER (ITU-T X.690) that certificates of one fixed shape need. It only writes; nothing here parses input.
 * Libraries that can do this bring a dozen dependencies.
 */

/** Tag numbers, including the constructed bit. */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** A value with its tag and length. */
export function encode(tagNumber: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tagNumber]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => encode(tag.sequence, ...items);

/** An unsigned integer from its bytes, most significant first. */
export function unsigned(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const trimmed = bytes.subarray(start);
  // If the first bit were set, the number would be negative.
  const isHigh = ((trimmed[0] ?? 0) & 0x80) !== 0;
  return encode(tag.integer, isHigh ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed);
}

/** An object identifier from its usual spelling, `2.5.29.17`. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return encode(tag.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift(0x80 | (rest & 0x7f));
  return digits;
}

/** A bit string of whole bytes. */
export const bits = (bytes: Uint8Array): Buffer => encode(tag.bitString, Buffer.from([0]), bytes);

/** A bit string of named bits 0 to 7; bit 0 is the most significant. */
export function namedBits(...set: readonly number[]): Buffer {
  const byte = set.reduce((value, bit) => value | (0x80 >> bit), 0);
  return encode(tag.bitString, Buffer.from([7 - Math.max(...set), byte]));
}

/**
 * A time in seconds: the short form up to 2049, the long form from 2050 (RFC 5280, 4.1.2.5).
 * @param milliseconds wall-clock time
 */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '');
  const isLong = new Date(milliseconds).getUTCFullYear() >= 2050;
  return encode(isLong ? tag.generalizedTime : tag.utcTime, Buffer.from(isLong ? digits : digits.slice(2)));
}

/** A value in an explicit context tag. */
export const explicit = (number: number, value: Uint8Array): Buffer => encode(0xa0 | number, value);
/** A primitive value in an implicit context tag, which replaces its own tag. */
export const implicit = (number: number, content: Uint8Array): Buffer => encode(0x80 | number, content);
