import { onAbort } from './abort.ts';
import { ArmatureError } from '../errors.ts';

export interface SlotLimits {
  /** Most tasks at once, in total and per caller. */
  readonly atOnce: number;
  readonly atOnceByCaller: number;
  /** Most tasks that may wait. */
  readonly waiting: number;
  readonly waitingByCaller: number;
}

interface Waiting {
  readonly caller: string;
  begin(): void;
}

/**
 * Limits how much runs at once, in total and per caller. A caller at its own limit waits while later callers go ahead.
 */
export class FairSlots {
  readonly #limits: SlotLimits;
  readonly #what: string;
  readonly #running: string[] = [];
  #waiting: Waiting[] = [];

  /** @param what the tasks, in the plural for messages: `queries` */
  constructor(limits: SlotLimits, what: string) {
    this.#limits = limits;
    this.#what = what;
  }

  /**
   * Waits until a task of this caller may run, and runs it.
   * @throws {ArmatureError} `call.overloaded` if too many are waiting, `call.cancelled`
   */
  async run<T>(caller: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(caller, signal);
    try {
      return await work();
    } finally {
      this.#running.splice(this.#running.indexOf(caller), 1);
      this.#beginNext();
    }
  }

  #enter(caller: string, signal: AbortSignal): Promise<void> {
    if (this.#mayBegin(caller)) {
      this.#running.push(caller);
      return Promise.resolve();
    }
    const own = this.#waiting.filter((each) => each.caller === caller).length;
    if (own >= this.#limits.waitingByCaller || this.#waiting.length >= this.#limits.waiting)
      throw overloaded(this.#what);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        caller,
        begin: () => {
          unsubscribe();
          resolve();
        },
      };
      this.#waiting.push(waiting);
      const unsubscribe = onAbort(signal, () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(new ArmatureError('call.cancelled', 'The call was cancelled.'));
      });
    });
  }

  #mayBegin(caller: string): boolean {
    const { atOnce, atOnceByCaller } = this.#limits;
    return this.#running.length < atOnce && this.#running.filter((each) => each === caller).length < atOnceByCaller;
  }

  #beginNext(): void {
    const next = this.#waiting.find(({ caller }) => this.#mayBegin(caller));
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((each) => each !== next);
    this.#running.push(next.caller);
    next.begin();
  }
}

function overloaded(what: string): ArmatureError {
  return new ArmatureError(
    'call.overloaded',
    `Too many ${what} are under way and waiting: try again when yours are answered.`,
  );
}
