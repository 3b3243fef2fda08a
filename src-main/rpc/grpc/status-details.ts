import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { ArmatureError } from '../../base/errors.ts';
import type { Status } from '../../base/status.ts';

/** Trailer that carries a `google.rpc.Status` with details (grpc/grpc: doc/PROTOCOL-HTTP2.md, `Custom-Metadata`). */
export const STATUS_DETAILS_KEY = 'grpc-status-details-bin';

const TYPE_PREFIX = 'type.googleapis.com/google.rpc.';

/** With a status message of 3 KiB it fits the 8 KiB of trailers that some clients accept. */
const MAX_ENCODED_LENGTH = 4 * 1024;
const MAX_CUT_MESSAGE = 512;

/** A detail value as the text that an ErrorInfo can carry. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** `google.rpc.ErrorInfo`: reason=1, domain=2, metadata=3 (map of text to text). */
function errorInfo(code: string, facts: ArmatureError['details']): Uint8Array {
  const writer = new BinaryWriter();
  writer.uint32(10).string(code).uint32(18).string('armature');
  for (const [key, value] of Object.entries(facts)) {
    writer.uint32(26).fork().uint32(10).string(key).uint32(18).string(asText(value)).join();
  }
  return writer.finish();
}

/** `google.rpc.RetryInfo`: retry_delay=1, a Duration of seconds=1 and nanos=2. */
function retryInfo(delayMs: number): Uint8Array {
  const seconds = Math.floor(delayMs / 1000);
  const nanos = Math.round((delayMs - seconds * 1000) * 1e6);
  return new BinaryWriter().uint32(10).fork().uint32(8).int64(seconds).uint32(16).int32(nanos).join().finish();
}

/**
 * An error's code and details as the base64 value of the details trailer, so that clients need not match on the
 * message. A number in `details.retryAfterMs` is also sent as RetryInfo. If the value is too large for the trailers of
 * a client, it is reduced to the code and the start of the message.
 */
export function encodeStatusDetails(status: Status, error: ArmatureError): string {
  const whole = encode(status, error, true);
  if (whole.length <= MAX_ENCODED_LENGTH) return whole;
  return encode({ ...status, message: status.message.slice(0, MAX_CUT_MESSAGE) }, error, false);
}

function encode(status: Status, error: ArmatureError, hasFacts: boolean): string {
  const details: [type: string, value: Uint8Array][] = [
    ['ErrorInfo', errorInfo(error.code, hasFacts ? error.details : {})],
  ];
  const { retryAfterMs } = error.details;
  if (typeof retryAfterMs === 'number') details.push(['RetryInfo', retryInfo(retryAfterMs)]);
  const writer = new BinaryWriter().uint32(8).int32(status.code).uint32(18).string(status.message);
  for (const [type, value] of details) {
    writer
      .uint32(26)
      .fork()
      .uint32(10)
      .string(TYPE_PREFIX + type)
      .uint32(18)
      .bytes(value)
      .join();
  }
  return Buffer.from(writer.finish()).toString('base64');
}
