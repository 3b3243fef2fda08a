/** The part of HTTP/2 (RFC 9113) and HPACK (RFC 7541) that a load generator needs. */

export const frameTypes = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
} as const;

export const flags = { endStream: 1, ack: 1, endHeaders: 4 } as const;

export const FRAME_HEADER_BYTES = 9;
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** One frame with its header. */
export function frameOf(type: number, frameFlags: number, streamId: number, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + payload.length);
  frame.writeUIntBE(payload.length, 0, 3);
  frame[3] = type;
  frame[4] = frameFlags;
  frame.writeUInt32BE(streamId, 5);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

/** A SETTINGS frame of identifier and value pairs. */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length);
  settings.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  });
  return frameOf(frameTypes.settings, 0, 0, payload);
}

/** Widens the connection's receive window by `bytes`. */
export function windowUpdateFrame(bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes);
  return frameOf(frameTypes.windowUpdate, 0, 0, payload);
}

const METHOD_POST = 0x83;
const SCHEME_HTTP = 0x86;
const FIRST_DYNAMIC_INDEX = 62;

function literal(text: string): Buffer {
  if (text.length > 126) throw new Error(`"${text}" is too long for this encoder`);
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
}

/**
 * The header blocks of a POST: the first contains its fields in full and makes the server store them, every later one
 * refers to them by their index in its table, as the libraries of real clients do.
 */
export function postBlocks(fields: readonly (readonly [name: string, value: string])[]): {
  readonly first: Buffer;
  readonly later: Buffer;
} {
  const remembered = fields.map(([name, value]) => Buffer.concat([Buffer.from([0x40]), literal(name), literal(value)]));
  const indexes = fields.map((_, index) => 0x80 | (FIRST_DYNAMIC_INDEX + fields.length - 1 - index));
  return {
    first: Buffer.concat([Buffer.from([METHOD_POST, SCHEME_HTTP]), ...remembered]),
    later: Buffer.from([METHOD_POST, SCHEME_HTTP, ...indexes]),
  };
}
