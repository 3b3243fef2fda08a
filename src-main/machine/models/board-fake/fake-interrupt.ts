import type { DigitalInterrupt, Tick } from '../../../apis/board/types.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { Emitter } from '../../../base/async/emitter.ts';

/** Time between two ticks of an interrupt that nothing drives. */
export const TICK_EVERY_MS = 700;
const NS_PER_MS = 1_000_000;

/** Nanoseconds since the epoch that never go back: the wall-clock time at the start plus monotonic time. */
export class TickTime {
  readonly #epochNs: bigint;
  readonly #startMs: number;

  constructor(clock: Clock) {
    this.#epochNs = BigInt(Math.round(clock.now())) * BigInt(NS_PER_MS);
    this.#startMs = clock.monotonic();
  }

  /** @param monotonicMs of the clock given at the start */
  at(monotonicMs: number): bigint {
    return this.#epochNs + BigInt(Math.round((monotonicMs - this.#startMs) * NS_PER_MS));
  }
}

/**
 * An interrupt that ticks by itself every 700 ms. Its ticks are computed from the time, so `value` is the number of
 * ticks that a listener would have received, and nothing runs without listeners.
 */
export class FreeRunningInterrupt implements DigitalInterrupt {
  readonly name: string;
  readonly #ticks = new Emitter<Tick>();
  readonly #clock: Clock;
  readonly #time: TickTime;
  readonly #startMs: number;
  readonly #seed: number;
  #timer: Timer | undefined;
  #emitted = 0;

  constructor(name: string, clock: Clock, time: TickTime, seed: number) {
    this.name = name;
    this.#clock = clock;
    this.#time = time;
    this.#startMs = clock.monotonic();
    this.#seed = mix(seed, name);
  }

  value(): Promise<number> {
    return Promise.resolve(this.#count());
  }

  level(): Promise<boolean> {
    return Promise.resolve(levelOf(this.#seed, this.#count()));
  }

  onTick(listener: (tick: Tick) => void): () => void {
    if (this.#ticks.size === 0) {
      this.#emitted = this.#count();
      this.#schedule();
    }
    const unsubscribe = this.#ticks.on(listener);
    return () => {
      unsubscribe();
      if (this.#ticks.size === 0) this.close();
    };
  }

  close(): void {
    this.#ticks.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #count(): number {
    return Math.floor((this.#clock.monotonic() - this.#startMs) / TICK_EVERY_MS);
  }

  #schedule(): void {
    const nextMs = this.#startMs + (this.#emitted + 1) * TICK_EVERY_MS;
    this.#timer = this.#clock.after(Math.max(0, nextMs - this.#clock.monotonic()), () => {
      const due = this.#count();
      while (this.#emitted < due && this.#ticks.size > 0) {
        const tick = ++this.#emitted;
        const timeNs = this.#time.at(this.#startMs + tick * TICK_EVERY_MS);
        this.#ticks.emit({ interrupt: this.name, timeNs, isHigh: levelOf(this.#seed, tick) });
      }
      if (this.#ticks.size > 0) this.#schedule();
    });
  }
}

/** An interrupt on an encoder pin of a simulated motor, which produces its edges. */
export class DrivenInterrupt implements DigitalInterrupt {
  readonly name: string;
  readonly #ticks = new Emitter<Tick>();
  readonly #beforeRead: () => void;
  #count = 0;
  #isHigh = false;

  /** @param beforeRead advances the motor to the current time, so that reads are up to date */
  constructor(name: string, beforeRead: () => void) {
    this.name = name;
    this.#beforeRead = beforeRead;
  }

  /** Reports an edge to a level; does nothing if the level is already that. */
  drive(isHigh: boolean, timeNs: bigint): void {
    if (isHigh === this.#isHigh) return;
    this.#isHigh = isHigh;
    this.#count++;
    this.#ticks.emit({ interrupt: this.name, timeNs, isHigh });
  }

  value(): Promise<number> {
    this.#beforeRead();
    return Promise.resolve(this.#count);
  }

  level(): Promise<boolean> {
    this.#beforeRead();
    return Promise.resolve(this.#isHigh);
  }

  catchUp(): void {
    this.#beforeRead();
  }

  onTick(listener: (tick: Tick) => void): () => void {
    this.#beforeRead();
    return this.#ticks.on(listener);
  }
}

/** A hash of the text. */
function mix(seed: number, text: string): number {
  let hash = Math.imul(seed + 1, 0x9e3779b1);
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** The pseudo-random level after a tick: always the same for the same seed and tick. */
function levelOf(seed: number, tick: number): boolean {
  let bits = (seed + Math.imul(tick, 0x6d2b79f5)) | 0;
  bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
  bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
  return ((bits ^ (bits >>> 14)) & 1) === 1;
}
