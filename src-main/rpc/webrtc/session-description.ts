import { ArmatureError } from '../../base/errors.ts';

/** An offer or an answer (RFC 8866), in the form of browsers. */
export interface SessionDescription {
  readonly type: 'offer' | 'answer';
  readonly sdp: string;
}

/** Far more than an offer with two data channels and video has. */
const LARGEST_BYTES = 64 * 1_024;

/**
 * Reads a description as it is signaled: base64 of its JSON.
 * @throws {ArmatureError} `call.bad_argument`
 */
export function readDescription(text: string, wanted: SessionDescription['type']): SessionDescription {
  const refuse = (why: string): never => {
    throw new ArmatureError(
      'call.bad_argument',
      `"sdp" is no ${wanted} as base64 of {"type": "${wanted}", "sdp": ...}: ${why}.`,
    );
  };
  if (text.length > LARGEST_BYTES) return refuse(`it has ${text.length} characters, and ${LARGEST_BYTES} are taken`);
  let found: unknown;
  try {
    found = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch (cause) {
    return refuse(cause instanceof Error ? cause.message : String(cause));
  }
  if (typeof found !== 'object' || found === null) return refuse('it is no object');
  const { type, sdp } = found as Partial<Record<keyof SessionDescription, unknown>>;
  if (type !== wanted) return refuse(`its type is ${JSON.stringify(type)}`);
  if (typeof sdp !== 'string' || !sdp.startsWith('v=0')) return refuse('it has no description of a session');
  return { type: wanted, sdp };
}

/** A description as it is signaled. */
export function writeDescription(description: SessionDescription): string {
  return Buffer.from(JSON.stringify(description)).toString('base64');
}
