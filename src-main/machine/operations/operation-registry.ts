import { aliasPath, type Dialect } from '../../base/dialect.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServerCall } from '../../rpc/call.ts';

/** A running call, as GetOperations shows it. */
export interface OperationInfo {
  readonly id: string;
  /** Full path of the method, in the reader's spelling. */
  readonly method: string;
  /** Wall-clock time at which the call arrived, milliseconds. */
  readonly startedAt: number;
  readonly sessionId: string | undefined;
  /** The first request as JSON-safe data; decoded when called, because it may be large. */
  arguments(): unknown;
}

/**
 * The running calls. Stores only the calls themselves, so a call costs one insertion and one removal; details are
 * computed when read.
 */
export class OperationRegistry {
  readonly #clock: Clock;
  readonly #calls = new Set<ServerCall>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a call whose `operationId` is set. */
  add(call: ServerCall): void {
    this.#calls.add(call);
  }

  /** Removes a call that ended; ignores one that was never added. */
  delete(call: ServerCall): void {
    if (!this.#calls.delete(call) || this.#waiting.size === 0) return;
    const { operationId } = call;
    if (operationId === undefined) return;
    for (const check of this.#waiting.get(operationId) ?? []) check();
  }

  /** Number of running calls. */
  get size(): number {
    return this.#calls.size;
  }

  /** Running calls, oldest first. */
  list(dialect: Dialect): OperationInfo[] {
    const wallMinusMonotonic = this.#clock.now() - this.#clock.monotonic();
    return [...this.#calls].map((call) => ({
      id: call.operationId ?? '',
      method: dialect === 'viam' ? aliasPath(call.method.path) : call.method.path,
      startedAt: wallMinusMonotonic + call.startedAt,
      sessionId: call.sessionId,
      arguments: () => call.requestAsJson(),
    }));
  }

  /** Cancels a call by its id. An id that is not running is not an error. */
  cancel(id: string): void {
    for (const call of this.#withId(id)) cancelCall(call, `Operation ${id} was cancelled by CancelOperation.`);
  }

  /**
   * Cancels every call that may be moving something, except `isSpared`: all calls to resources but those that only
   * watch. Watching and calls to the machine itself continue, so that an emergency stop does not blind the person who
   * pressed it.
   */
  cancelMotion(isSpared: (call: ServerCall) => boolean, by = 'StopAll'): void {
    for (const call of this.#calls) {
      const { method } = call;
      if (!method.hasResource || isSpared(call)) continue;
      const onlyWatches = method.responseStream && method.traits.moves !== true && method.requestType !== undefined;
      if (!onlyWatches) cancelCall(call, `Operation ${call.operationId ?? ''} was cancelled by ${by}.`);
    }
  }

  /**
   * Settles when no call with this id is running, at once if there is none. Rejects with `call.cancelled` when the
   * waiting `caller` leaves; a caller that waits for itself is not counted.
   */
  blockFor(id: string, caller: ServerCall): Promise<void> {
    const isOver = (): boolean => this.#withId(id).every((call) => call === caller);
    if (isOver()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const checks = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, checks);
      const forget = (): void => {
        caller.signal.removeEventListener('abort', giveUp);
        checks.delete(check);
        if (checks.size === 0) this.#waiting.delete(id);
      };
      const check = (): void => {
        if (!isOver()) return;
        forget();
        resolve();
      };
      const giveUp = (): void => {
        forget();
        reject(new ArmatureError('call.cancelled', `Waiting for operation ${id} was cancelled.`));
      };
      checks.add(check);
      if (caller.signal.aborted) giveUp();
      else caller.signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Usually one; a call that returns to us through a module has the id of the call that caused it. */
  #withId(id: string): ServerCall[] {
    return [...this.#calls].filter((call) => call.operationId === id);
  }
}

function cancelCall(call: ServerCall, message: string): void {
  call.cancel(new ArmatureError('call.cancelled', message));
}
