import { ArmatureError } from '../../base/errors.ts';

interface Operation {
  readonly controller: AbortController;
  readonly done: Promise<unknown>;
}

interface WaitingStop {
  readonly operation: Operation;
  readonly promise: Promise<void>;
  /** False once it has begun: a stop after that is another one. */
  readonly isWaiting: boolean;
}

/** Why an operation's signal aborted: a newer one took over, so what it set in motion is no longer its own. */
export class Superseded extends Error {
  constructor() {
    super('a newer command took over');
    this.name = 'Superseded';
  }
}

/** Whether the operation of this signal was ended by a newer one, not by its caller. */
export function isSuperseded(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof Superseded;
}

/**
 * Lets one command at a time drive a device: starting one cancels the one under way and waits until
 * it has ended. One guard per device, so an operation on another device never counts as this one's.
 */
export class SingleOperation {
  readonly #device: string;
  readonly #stopDevice: () => Promise<void>;
  #last: Operation | undefined;
  #lastStop: WaitingStop | undefined;
  #isClosed = false;

  /**
   * @param device its name in errors, for example `motor "left"`
   * @param stopDevice called where an operation cancelled another but its caller left before it could begin: nobody
   *   would own what the cancelled one set in motion
   */
  constructor(device: string, stopDevice: () => Promise<void>) {
    this.#device = device;
    this.#stopDevice = stopDevice;
  }

  /**
   * Runs `body` as the only operation. Its signal aborts when a newer one
   * starts ({@link isSuperseded}) or when `callerSignal` does. Of commands that
   * wait for their turn only the newest runs; for the others there is nothing left to do, which is no failure. Throws
   * `call.cancelled` where the caller left before it began, `resource.not_ready` after {@link close}.
   */
  async run(
    name: string,
    callerSignal: AbortSignal | undefined,
    body: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (this.#isClosed) {
      throw new ArmatureError('resource.not_ready', `${name} was refused: ${this.#device} is closed.`);
    }
    const controller = new AbortController();
    if (callerSignal?.aborted === true) {
      controller.abort(callerSignal.reason);
      throw this.cancelled(name);
    }
    const before = this.#last;
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const operation: Operation = { controller, done };
    this.#last = operation;
    const onCallerGone = (): void => controller.abort(callerSignal?.reason);
    callerSignal?.addEventListener('abort', onCallerGone, { once: true });
    try {
      if (before !== undefined) {
        before.controller.abort(new Superseded());
        await before.done;
      }
      if (controller.signal.aborted) {
        if (isSuperseded(controller.signal)) return;
        await this.#stopDevice();
        throw this.cancelled(name);
      }
      await body(controller.signal);
    } finally {
      callerSignal?.removeEventListener('abort', onCallerGone);
      if (this.#last === operation) this.#last = undefined;
      finish();
    }
  }

  /**
   * Runs a stop as the only operation. One that comes while another still waits for its turn is the same stop: both end
   * with it, so that two windows that press Stop all at once both hear that it was done.
   */
  stop(body: () => Promise<void>): Promise<void> {
    const last = this.#lastStop;
    if (last !== undefined && last.operation === this.#last && last.isWaiting) return last.promise;
    const stop = { isWaiting: true };
    const promise = this.run('Stop', undefined, () => {
      stop.isWaiting = false;
      return body();
    });
    if (this.#last !== undefined) this.#lastStop = Object.assign(stop, { operation: this.#last, promise });
    return promise;
  }

  /** Accepts no more operations; running and waiting ones continue. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * The error of an operation whose caller has left. One that a newer command or a Stop ended has none, as in the public
   * server: it did what it was told until it was told something else.
   */
  cancelled(name: string): ArmatureError {
    return new ArmatureError('call.cancelled', `${name} of ${this.#device} ended early: its caller cancelled or left.`);
  }
}
