import { StatusCode, type Status } from './status.ts';

/** Source of the failure: the caller's input, the outside world (hardware, disk, network), or our code. */
export type ErrorKind = 'user' | 'world' | 'ours';

export interface ErrorCodeInfo {
  readonly status: StatusCode;
  readonly kind: ErrorKind;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Whether the same request may succeed later without the caller changing anything. */
  readonly retryable: boolean;
}

const user = (status: StatusCode): ErrorCodeInfo => ({
  status,
  kind: 'user',
  level: 'debug',
  retryable: false,
});
const world = (status: StatusCode): ErrorCodeInfo => ({
  status,
  kind: 'world',
  level: 'warn',
  retryable: true,
});

/** All error codes of the program. RPC, logs and the page read this table; nobody matches on message text. */
export const errorCodes = {
  'call.bad_argument': user(StatusCode.INVALID_ARGUMENT),
  'call.cancelled': user(StatusCode.CANCELLED),
  'call.deadline_exceeded': { ...world(StatusCode.DEADLINE_EXCEEDED), level: 'debug' },
  'call.failed_precondition': user(StatusCode.FAILED_PRECONDITION),
  'call.not_found': user(StatusCode.NOT_FOUND),
  'call.overloaded': world(StatusCode.RESOURCE_EXHAUSTED),
  'call.too_large': user(StatusCode.RESOURCE_EXHAUSTED),
  'call.unimplemented': user(StatusCode.UNIMPLEMENTED),
  'access.unauthenticated': { ...user(StatusCode.UNAUTHENTICATED), level: 'warn' },
  'access.denied': { ...user(StatusCode.PERMISSION_DENIED), level: 'warn' },
  'access.rate_limited': { ...user(StatusCode.RESOURCE_EXHAUSTED), level: 'warn', retryable: true },
  'session.expired': user(StatusCode.INVALID_ARGUMENT),
  'resource.not_found': user(StatusCode.NOT_FOUND),
  'resource.not_ready': world(StatusCode.UNAVAILABLE),
  'resource.disabled': user(StatusCode.FAILED_PRECONDITION),
  'resource.timeout': world(StatusCode.DEADLINE_EXCEEDED),
  'config.invalid': user(StatusCode.INVALID_ARGUMENT),
  'config.conflict': user(StatusCode.ABORTED),
  'config.read_only': user(StatusCode.FAILED_PRECONDITION),
  'config.unreadable': world(StatusCode.UNAVAILABLE),
  'file.too_large': { ...world(StatusCode.FAILED_PRECONDITION), level: 'error', retryable: false },
  'file.unreadable': { ...world(StatusCode.FAILED_PRECONDITION), level: 'error', retryable: false },
  'file.unwritable': { ...world(StatusCode.FAILED_PRECONDITION), level: 'error', retryable: false },
  /** Somebody else has changed or deleted the dashboard since the caller read it. */
  'dashboard.conflict': user(StatusCode.ABORTED),
  'dashboard.name_taken': user(StatusCode.ALREADY_EXISTS),
  'fleet.name_taken': user(StatusCode.ALREADY_EXISTS),
  'fleet.has_children': user(StatusCode.FAILED_PRECONDITION),
  /** More would be created than is allowed. */
  'quota.exceeded': user(StatusCode.RESOURCE_EXHAUSTED),
  'registry.bad_package': user(StatusCode.INVALID_ARGUMENT),
  'registry.bad_signature': { ...user(StatusCode.PERMISSION_DENIED), level: 'warn' },
  'registry.version_exists': user(StatusCode.ALREADY_EXISTS),
  /** The store broke one of its own rules, which had not been checked before. */
  'store.constraint': { status: StatusCode.INTERNAL, kind: 'ours', level: 'error', retryable: false },
  'store.conflict': { ...world(StatusCode.ABORTED), level: 'debug' },
  'store.corrupt': { ...world(StatusCode.DATA_LOSS), level: 'error', retryable: false },
  'store.full': { ...world(StatusCode.RESOURCE_EXHAUSTED), level: 'error' },
  'store.in_use': { ...world(StatusCode.FAILED_PRECONDITION), level: 'error', retryable: false },
  'store.newer': { ...world(StatusCode.FAILED_PRECONDITION), level: 'error', retryable: false },
  'store.unavailable': { ...world(StatusCode.UNAVAILABLE), level: 'error' },
  /** No training is possible here: Python or its packages are missing. */
  'training.unavailable': { ...world(StatusCode.FAILED_PRECONDITION), retryable: false },
  /** A webhook has a target that webhooks must not reach. */
  'webhook.refused': user(StatusCode.PERMISSION_DENIED),
  /** The mail server refuses a message. */
  'mail.failed': world(StatusCode.UNAVAILABLE),
  /** A module's process cannot be connected to, or has ended. */
  'peer.unreachable': world(StatusCode.UNAVAILABLE),
  /** Another machine with resources used here is not connected. */
  'remote.unreachable': world(StatusCode.UNAVAILABLE),
  'part.unreachable': { ...world(StatusCode.UNAVAILABLE), level: 'info' },
  'part.replaced': { ...world(StatusCode.ABORTED), level: 'info' },
  'hub.unreachable': world(StatusCode.UNAVAILABLE),
  'hub.refused': { ...world(StatusCode.FAILED_PRECONDITION), level: 'error', retryable: false },
  /** A package that cannot be used: damaged, forged, or not matching its description. */
  'module.bad_package': { ...world(StatusCode.DATA_LOSS), level: 'error' },
  /** Signed by a key that this computer does not trust. */
  'module.untrusted_key': { ...world(StatusCode.PERMISSION_DENIED), level: 'error', retryable: false },
  'module.no_space': { ...world(StatusCode.RESOURCE_EXHAUSTED), level: 'error' },
  /** The first-run program of a module's package failed. */
  'module.first_run': { ...world(StatusCode.FAILED_PRECONDITION), level: 'error' },
  'hardware.unavailable': world(StatusCode.UNAVAILABLE),
  'hardware.failed': world(StatusCode.INTERNAL),
  'hardware.busy': world(StatusCode.FAILED_PRECONDITION),
  'hardware.permission': world(StatusCode.FAILED_PRECONDITION),
  'hardware.missing': world(StatusCode.UNAVAILABLE),
  'hardware.gone': world(StatusCode.UNAVAILABLE),
  'hardware.invalid': user(StatusCode.INVALID_ARGUMENT),
  'module.not_found': user(StatusCode.NOT_FOUND),
  'module.disabled': user(StatusCode.FAILED_PRECONDITION),
  /** Its process does not start, or does not do what is required of a module. */
  'module.failed': world(StatusCode.UNAVAILABLE),
  /** A module refuses a request with a reason. The next attempt may succeed. */
  'module.refused': world(StatusCode.FAILED_PRECONDITION),
  'server.cannot_bind': { ...world(StatusCode.UNAVAILABLE), level: 'error', retryable: false },
  'server.stopping': world(StatusCode.UNAVAILABLE),
  'internal.bug': { status: StatusCode.INTERNAL, kind: 'ours', level: 'error', retryable: false },
} as const satisfies Record<string, ErrorCodeInfo>;

export type ErrorCode = keyof typeof errorCodes;

export interface ErrorOptions {
  /** JSON-safe facts about the failure: names, values found, what is allowed. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The one error class. `message` is a plain sentence that names the thing,
 * the value found and the next step; programs read `code` and `details`.
 */
export class ArmatureError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ArmatureError';
    this.code = code;
    this.details = options.details ?? {};
  }

  get info(): ErrorCodeInfo {
    return errorCodes[this.code];
  }
}

/** Any thrown value as an {@link ArmatureError}; other errors become `internal.bug`. */
export function toArmatureError(thrown: unknown): ArmatureError {
  if (thrown instanceof ArmatureError) return thrown;
  if (thrown instanceof Error) {
    if (thrown.name === 'AbortError') return new ArmatureError('call.cancelled', thrown.message, { cause: thrown });
    return new ArmatureError('internal.bug', thrown.message, { cause: thrown });
  }
  return new ArmatureError('internal.bug', String(thrown), { cause: thrown });
}

/** The gRPC status that reports a thrown value. */
export function toStatus(thrown: unknown): Status {
  const error = toArmatureError(thrown);
  return { code: error.info.status, message: error.message };
}

/** Whether a write failed because the disk is full, or the quota of the user. */
export function isNoSpace(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** The code of a failed system call, such as `ENOENT`; '' for other errors. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
