import { ArmatureError } from '../../../base/errors.ts';

/**
 * Largest reading, bytes of JSON. Readings are read in pages, and a page of the largest has to fit into memory. What is
 * larger is binary data.
 */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

/** What a walk through a reading finds, as bits. */
const NOTHING = 1;
const NOT_FINITE = 2;

/**
 * A reading as JSON text.
 * @param what names it in messages: `reading 3`
 * @throws {ArmatureError} `call.bad_argument` for a number that JSON does not have, and for one that is too large
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
  const text = found === 0 ? JSON.stringify(payload) : JSON.stringify(payload, nullForNothing);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_PAYLOAD_BYTES) return text;
  throw new ArmatureError(
    'call.bad_argument',
    `JSON of ${what} has ${bytes} bytes; at most ${MAX_PAYLOAD_BYTES} are kept. Upload it as binary data.`,
  );
}

/** The public Python SDK sends None as a value of no kind. */
function nullForNothing(_key: string, value: unknown): unknown {
  return value === undefined ? null : value;
}

/** Messages are decoded at most 100 deep, so this goes no deeper. */
function walk(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? 0 : NOT_FINITE;
    case 'undefined':
      return NOTHING;
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
