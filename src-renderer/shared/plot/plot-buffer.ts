const firstCapacity = 512;
/** A gap is a silence of this many usual intervals, and of this much more that a busy machine may take. */
const gapIntervals = 3;
const gapSlackMs = 60;
/** Weight of a new interval in the usual one. */
const intervalWeight = 0.15;
/** Times that go back by more than this are of a clock that was set. */
const clockStepMs = 1_000;

/** A value of a channel and when it was true, ms of the machine's clock. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

/**
 * The last samples of one channel, in typed arrays that are written round and
 * round: what it costs does not depend on how long it runs. NaN is a gap; one
 * is put where no value came for clearly longer than usual.
 */
export class PlotBuffer {
  readonly #capacity: number;
  #times = new Float64Array(firstCapacity);
  #values = new Float64Array(firstCapacity);
  #first = 0;
  #length = 0;
  #intervalMs = 0;

  /** @param capacity samples that are kept at most; a power of two */
  constructor(capacity = 32_768) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#length;
  }

  /** The usual time between two values, ms; 0 before there were two. */
  get intervalMs(): number {
    return this.#intervalMs;
  }

  /** The latest value that is no gap. */
  get last(): Sample | undefined {
    for (let index = this.#length - 1; index >= 0; index--) {
      const value = this.valueAt(index);
      if (!Number.isNaN(value)) return { at: this.timeAt(index), value };
    }
    return undefined;
  }

  timeAt(index: number): number {
    return this.#times[this.#place(index)] ?? Number.NaN;
  }

  valueAt(index: number): number {
    return this.#values[this.#place(index)] ?? Number.NaN;
  }

  /** Takes a value, and looks whether too much time passed before it. One that is known already is left out. */
  add(at: number, value: number): void {
    const before = this.#length === 0 ? Number.NEGATIVE_INFINITY : this.timeAt(this.#length - 1);
    if (before - at > clockStepMs) this.clear();
    else if (at <= before) return;
    const interval = at - before;
    if (Number.isFinite(interval) && this.#length > 0) {
      const isGap = this.#intervalMs > 0 && interval > gapIntervals * this.#intervalMs + gapSlackMs;
      if (isGap) this.addGap();
      this.#intervalMs += this.#intervalMs === 0 ? interval : (interval - this.#intervalMs) * intervalWeight;
    }
    this.#push(at, value);
  }

  /** Takes what holds until the next one, however long that takes: only changes are kept. */
  addStep(at: number, value: number): void {
    const previous = this.#length - 1;
    if (previous >= 0) {
      if (this.timeAt(previous) - at > clockStepMs) this.clear();
      else if (at <= this.timeAt(previous) || Object.is(this.valueAt(previous), value)) return;
    }
    this.#push(at, value);
  }

  /** No value after the last one, until the next. */
  addGap(): void {
    const previous = this.#length - 1;
    if (previous >= 0 && !Number.isNaN(this.valueAt(previous))) this.#push(this.timeAt(previous) + 1, Number.NaN);
  }

  /** Index of the first sample at or after a time; `length` where there is none. */
  indexFrom(at: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.timeAt(middle) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  clear(): void {
    this.#first = 0;
    this.#length = 0;
    this.#intervalMs = 0;
  }

  /** As it is now, for a picture that is held. */
  copy(): PlotBuffer {
    const twin = new PlotBuffer(this.#capacity);
    twin.#times = this.#times.slice();
    twin.#values = this.#values.slice();
    twin.#first = this.#first;
    twin.#length = this.#length;
    twin.#intervalMs = this.#intervalMs;
    return twin;
  }

  #place(index: number): number {
    return (this.#first + index) & (this.#times.length - 1);
  }

  #push(at: number, value: number): void {
    if (this.#length === this.#times.length && this.#length < this.#capacity) this.#grow();
    const place = this.#place(this.#length);
    this.#times[place] = at;
    this.#values[place] = value;
    if (this.#length < this.#times.length) this.#length += 1;
    else this.#first = this.#place(1);
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    const values = new Float64Array(this.#values.length * 2);
    for (let index = 0; index < this.#length; index++) {
      times[index] = this.timeAt(index);
      values[index] = this.valueAt(index);
    }
    this.#times = times;
    this.#values = values;
    this.#first = 0;
  }
}
