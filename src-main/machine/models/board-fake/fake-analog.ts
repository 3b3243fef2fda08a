import type { AnalogReading } from '../../../apis/board/types.ts';
import type { Clock } from '../../../base/clock.ts';
import { DEFAULT_SAMPLES_PER_SEC, type FakeAnalogAttributes } from './schema.ts';

const HIGHEST = 1_000;
/** The ADC pin whose reads return the value written to it. */
const LOOPBACK_PIN = '1';

interface Write {
  /** First sample that has this value. */
  readonly sample: number;
  readonly value: number;
}

/**
 * An ADC input whose samples count 1, 2, ... 1000, 0, 1, ...; on pin "1" they are the value that was written last. A
 * sample is taken at each read, or `samples_per_sec` times a second. With `average_over_ms`, a read returns the rounded
 * mean of the samples in that time. Samples are computed when read, so that an unused analog costs nothing.
 */
export class FakeAnalog {
  /** '' if it names none. */
  readonly pin: string;
  readonly #clock: Clock;
  readonly #startMs: number;
  /** Samples per second; 0 for one sample per read. */
  readonly #samplesPerSec: number;
  /** How many samples a read averages. */
  readonly #window: number;
  #readSamples = 0;
  #writes: Write[];

  constructor(attributes: FakeAnalogAttributes, clock: Clock) {
    const { average_over_ms: averageMs = 0, samples_per_sec: samplesPerSec = 0 } = attributes;
    this.pin = attributes.pin ?? '';
    this.#clock = clock;
    this.#startMs = clock.monotonic();
    this.#samplesPerSec = averageMs > 0 && samplesPerSec === 0 ? DEFAULT_SAMPLES_PER_SEC : samplesPerSec;
    this.#window = Math.max(1, Math.floor((averageMs * this.#samplesPerSec) / 1_000));
    this.#writes = [{ sample: 0, value: 0 }];
  }

  read(): AnalogReading {
    if (this.#samplesPerSec === 0) this.#readSamples++;
    const newest = this.#newestSample();
    const count = Math.min(this.#window, newest);
    let sum = 0;
    for (let sample = newest - count + 1; sample <= newest; sample++) sum += this.#valueAt(sample);
    return { value: Math.round(sum / count), min: 0, max: HIGHEST, step: 1 };
  }

  /** Sets the value of the current sample; later samples count on from it, or on pin "1" keep it. */
  write(value: number): void {
    const newest = this.#newestSample();
    const oldestNeeded = newest - this.#window;
    const firstNeeded = this.#writes.findLastIndex((write) => write.sample <= oldestNeeded);
    this.#writes = this.#writes.slice(Math.max(0, firstNeeded)).filter((write) => write.sample !== newest);
    this.#writes.push({ sample: newest, value });
  }

  #newestSample(): number {
    if (this.#samplesPerSec === 0) return this.#readSamples;
    return 1 + Math.floor(((this.#clock.monotonic() - this.#startMs) * this.#samplesPerSec) / 1_000);
  }

  #valueAt(sample: number): number {
    const write = this.#writes.findLast((candidate) => candidate.sample <= sample) ?? { sample: 0, value: 0 };
    if (this.pin === LOOPBACK_PIN) return write.value;
    return (write.value + sample - write.sample) % (HIGHEST + 1);
  }
}
