import { ArmatureError } from '../../base/errors.ts';

interface Operation {
  readonly controller: AbortController;
  readonly done: Promise<unknown>;
}

interface WaitingStop {
  readonly operation: Operation;
  readonly promise: Promise<void>;
  /** False once it has begun: a later stop is a separate one. */
  readonly isWaiting: boolean;
}

/** Why an operation's signal aborted: a newer operation took over, and is now responsible for the motion. */
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
 * Allows one command at a time on a device: a new one cancels the running one and waits until that has ended. One guard
 * per device, so that operations on different devices are independent.
 */
export class SingleOperation {
  readonly #device: string;
  readonly #stopDevice: () => Promise<void>;
  #last: Operation | undefined;
  #lastStop: WaitingStop | undefined;
  #isClosed = false;

  /**
   * @param device its name in errors, for example `motor "left"`
   * @param stopDevice called if an operation cancelled another one but its caller left before it began: nobody would be
   * responsible for the motion of the cancelled one
   */
  constructor(device: string, stopDevice: () => Promise<void>) {
    this.#device = device;
    this.#stopDevice = stopDevice;
  }

  /**
   * Runs `body` as the only operation. Its signal aborts when a newer one starts ({@link isSuperseded}) or when
   * `callerSignal` aborts. Of the commands that wait for their turn only the newest runs; the others have nothing left
   * to do and do not fail. Throws `call.cancelled` if the caller left before it began, `resource.not_ready` after
   * {@link close}.
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
   * Runs a stop as the only operation. Stops that arrive while one is still waiting for its turn are combined with it,
   * so that two windows that press Stop all at the same time both get the result.
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
   * The error of an operation whose caller has left. An operation that a newer command or a Stop ended has no error, as
   * in the public server: it did what it was told until then.
   */
  cancelled(name: string): ArmatureError {
    return new ArmatureError('call.cancelled', `${name} of ${this.#device} ended early: its caller cancelled or left.`);
  }
}
