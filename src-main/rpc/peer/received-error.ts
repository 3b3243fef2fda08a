import { BinaryReader } from '@bufbuild/protobuf/wire';
import { ArmatureError, errorCodes, type ErrorCode } from '../../base/errors.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import { firstValue, type MetadataRecord } from '../metadata.ts';
import { STATUS_DETAILS_KEY } from '../grpc/status-details.ts';

/** Our codes for statuses without one: from a proxy or another program. */
const codeOfStatus: Readonly<Partial<Record<StatusCode, ErrorCode>>> = {
  [StatusCode.PERMISSION_DENIED]: 'access.denied',
  [StatusCode.INVALID_ARGUMENT]: 'call.bad_argument',
  [StatusCode.NOT_FOUND]: 'call.not_found',
  [StatusCode.FAILED_PRECONDITION]: 'call.failed_precondition',
  [StatusCode.RESOURCE_EXHAUSTED]: 'call.overloaded',
  [StatusCode.UNIMPLEMENTED]: 'call.unimplemented',
  [StatusCode.CANCELLED]: 'call.cancelled',
};

/** Codes of failures of a call to one of our peers, besides those of the peer. */
export interface PeerCodes {
  /** It did not answer in time, or at all. */
  readonly unreachable: ErrorCode;
  /** It refuses our authentication: not an error of our own caller. */
  readonly refused: ErrorCode;
}

/** The error of an outbound call as one of ours: the peer's own code and message if it sent them. */
export function receivedError(status: Status, trailers: MetadataRecord, codes: PeerCodes): ArmatureError {
  const details = firstValue(trailers, STATUS_DETAILS_KEY);
  const sentCode = details === undefined ? undefined : reasonOf(Buffer.from(details, 'base64'));
  const isRefused = status.code === StatusCode.UNAUTHENTICATED;
  const code = isRefused ? codes.refused : (sentCode ?? codeOfStatus[status.code] ?? codes.unreachable);
  return new ArmatureError(code, status.message === '' ? 'no reason was given' : status.message);
}

/** The reason in the `google.rpc.ErrorInfo` among the details, if it is a code that we know. */
function reasonOf(bytes: Uint8Array): ErrorCode | undefined {
  try {
    for (const any of fieldsOf(bytes, 3)) {
      const [type] = fieldsOf(any, 1);
      const [value] = fieldsOf(any, 2);
      if (type === undefined || value === undefined) continue;
      if (!Buffer.from(type).toString().endsWith('/google.rpc.ErrorInfo')) continue;
      const [reason] = fieldsOf(value, 1);
      const code = reason === undefined ? '' : Buffer.from(reason).toString();
      return Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : undefined;
    }
  } catch {
    // If the details are invalid, the status is enough.
  }
  return undefined;
}

/** The values of a field that has a length. */
function fieldsOf(bytes: Uint8Array, field: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === field && (type as number) === 2) found.push(reader.bytes());
    else reader.skip(type);
  }
  return found;
}
