import { ArmatureError } from '../../../base/errors.ts';

/**
 * Largest reading, bytes of JSON. Readings are read in pages, and a page of the largest ones has to fit into memory.
 * Larger data has to be uploaded as binary data.
 */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

/** Bits for what {@link walk} finds in a reading. */
const UNDEFINED = 1;
const NOT_FINITE = 2;

/**
 * A reading as JSON text.
 * @param what names the reading in messages: `reading 3`
 * @throws {ArmatureError} `call.bad_argument` for a number that JSON does not have, and for a reading that is too large
 */
export function payloadText(payload: Readonly<Record<string, unknown>>, what: string): string {
  const found = walk(payload);
  if ((found & NOT_FINITE) !== 0) {
    const [value, path] = findNonFinite(payload) ?? [];
    throw new ArmatureError(
      'call.bad_argument',
      `The field "${path?.join('.').slice(0, 200)}" of ${what} is ${value}, which JSON does not have. Leave it out, or send null or a text.`,
    );
  }
  const text = found === 0 ? JSON.stringify(payload) : JSON.stringify(payload, nullForUndefined);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_PAYLOAD_BYTES) return text;
  throw new ArmatureError(
    'call.bad_argument',
    `JSON of ${what} has ${bytes} bytes; at most ${MAX_PAYLOAD_BYTES} are kept. Upload it as binary data.`,
  );
}

/** The public Python SDK sends None as a Value without a kind, which is decoded as undefined. */
function nullForUndefined(_key: string, value: unknown): unknown {
  return value === undefined ? null : value;
}

/** Finds undefined and non-finite values. Decoded messages are at most 100 levels deep, so the recursion is limited. */
function walk(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? 0 : NOT_FINITE;
    case 'undefined':
      return UNDEFINED;
    case 'object': {
      let found = 0;
      for (const key in value) found |= walk((value as Record<string, unknown>)[key]);
      return found;
    }
    default:
      return 0;
  }
}

function findNonFinite(value: unknown): [value: number, path: string[]] | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : [value, []];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const [number, path] = findNonFinite(inner) ?? [];
    if (number !== undefined && path !== undefined) return [number, [key, ...path]];
  }
  return undefined;
}
