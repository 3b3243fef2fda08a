import { isIPv6 } from 'node:net';

/** Length of the header of every STUN message, bytes (RFC 8489, section 5). */
const HEADER_BYTES = 20;
const MAGIC_COOKIE = 0x2112a442;
const BINDING_REQUEST = 0x0001;
const BINDING_SUCCESS = 0x0101;
const BINDING_ERROR = 0x0111;
const MAPPED_ADDRESS = 0x0001;
const ERROR_CODE = 0x0009;
const XOR_MAPPED_ADDRESS = 0x0020;
/** No answer to a Binding request comes near this; what says that it is longer is something else. */
const LARGEST_MESSAGE_BYTES = 2_048;

/** Length of the id that ties an answer to its request, bytes. */
export const TRANSACTION_ID_BYTES = 12;

/** What a STUN server answered. */
export type BindingAnswer =
  /** Where the request came from, as the server saw it. */
  | { readonly kind: 'mapped'; readonly address: string; readonly port: number }
  | { readonly kind: 'refused'; readonly code: number; readonly reason: string };

/** A Binding request without attributes (RFC 8489, section 14 asks for none). */
export function bindingRequest(transactionId: Buffer): Buffer {
  const message = Buffer.alloc(HEADER_BYTES);
  message.writeUInt16BE(BINDING_REQUEST, 0);
  message.writeUInt32BE(MAGIC_COOKIE, 4);
  transactionId.copy(message, 8, 0, TRANSACTION_ID_BYTES);
  return message;
}

/**
 * Length of the STUN message that begins with these bytes: over TCP only this shows where it ends. Undefined while
 * there are too few, and `not-stun` for other data, or more than any answer to a Binding request.
 */
export function messageLength(bytes: Buffer): number | 'not-stun' | undefined {
  if (bytes.length >= 1 && ((bytes[0] ?? 0) & 0xc0) !== 0) return 'not-stun';
  if (bytes.length < HEADER_BYTES) return undefined;
  const length = bytes.readUInt16BE(2);
  if (bytes.readUInt32BE(4) !== MAGIC_COOKIE || length % 4 !== 0) return 'not-stun';
  return HEADER_BYTES + length > LARGEST_MESSAGE_BYTES ? 'not-stun' : HEADER_BYTES + length;
}

/** The id of the request that a message answers; undefined where it is no STUN message. */
export function transactionOf(message: Buffer): string | undefined {
  const length = messageLength(message);
  return length === message.length ? message.toString('hex', 8, HEADER_BYTES) : undefined;
}

/**
 * Reads the answer to a Binding request. Undefined for other data, a damaged answer, or one without an address. Unknown
 * attributes are skipped, even required ones: the check is only whether the server answers.
 */
export function readBindingAnswer(message: Buffer): BindingAnswer | undefined {
  if (messageLength(message) !== message.length) return undefined;
  const type = message.readUInt16BE(0);
  if (type !== BINDING_SUCCESS && type !== BINDING_ERROR) return undefined;
  let plain: BindingAnswer | undefined;
  for (let at = HEADER_BYTES; at + 4 <= message.length;) {
    const attribute = message.readUInt16BE(at);
    const length = message.readUInt16BE(at + 2);
    const value = message.subarray(at + 4, at + 4 + length);
    if (value.length < length) return undefined;
    if (type === BINDING_ERROR && attribute === ERROR_CODE) return readError(value);
    if (type === BINDING_SUCCESS && attribute === XOR_MAPPED_ADDRESS) {
      return readAddress(value, message.subarray(4, HEADER_BYTES));
    }
    // Servers of RFC 3489 say the address in clear only; boxes on the way rewrite it there, so it counts last.
    if (type === BINDING_SUCCESS && attribute === MAPPED_ADDRESS) plain ??= readAddress(value, undefined);
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return plain;
}

/** @param key cookie and transaction id, with which an address is masked (RFC 8489, section 14.2) */
function readAddress(value: Buffer, key: Buffer | undefined): BindingAnswer | undefined {
  const bytes = value[1] === 1 ? 4 : value[1] === 2 ? 16 : undefined;
  if (bytes === undefined || value.length !== 4 + bytes) return undefined;
  const unmasked = Buffer.from(value.subarray(2));
  if (key !== undefined) {
    unmasked.writeUInt16BE(unmasked.readUInt16BE(0) ^ key.readUInt16BE(0), 0);
    for (let index = 0; index < bytes; index++) unmasked[2 + index] = (unmasked[2 + index] ?? 0) ^ (key[index] ?? 0);
  }
  return { kind: 'mapped', address: addressText(unmasked.subarray(2)), port: unmasked.readUInt16BE(0) };
}

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(':');
  // The shortest form, as the system writes its own addresses.
  return isIPv6(groups) ? new URL(`http://[${groups}]`).hostname.slice(1, -1) : groups;
}

function readError(value: Buffer): BindingAnswer | undefined {
  if (value.length < 4) return undefined;
  const code = ((value[2] ?? 0) & 7) * 100 + (value[3] ?? 0);
  // It is shown in a terminal: nothing but what can be read may come out of it.
  const reason = value.toString('utf8', 4, 4 + 128).replace(/[^\x20-\x7e]/g, '');
  return { kind: 'refused', code, reason };
}
