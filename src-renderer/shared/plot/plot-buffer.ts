const firstCapacity = 512;
/** A gap is a pause longer than this many usual intervals plus a tolerance for a busy machine. */
const gapIntervals = 3;
const gapSlackMs = 60;
/** Weight of a new interval in the average. */
const intervalWeight = 0.15;
/** A time that is earlier by more than this means that the clock was set back. */
const clockStepMs = 1_000;

/** A value of a channel and its time, ms of the machine's clock. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

/**
 * The latest samples of one channel, in a ring buffer of typed arrays, so the cost
 * does not depend on how long it runs. NaN is a gap; one is added where no value
 * came for clearly longer than usual.
 */
export class PlotBuffer {
  readonly #capacity: number;
  #times = new Float64Array(firstCapacity);
  #values = new Float64Array(firstCapacity);
  #first = 0;
  #length = 0;
  #intervalMs = 0;
  #droppedTo = Number.NEGATIVE_INFINITY;

  /** @param capacity maximum of samples; a power of two */
  constructor(capacity = 32_768) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#length;
  }

  /** The usual time between two values, ms; 0 before there are two. */
  get intervalMs(): number {
    return this.#intervalMs;
  }

  /** Time of the latest sample that was dropped because there was no room for it; -Infinity for none. */
  get droppedTo(): number {
    return this.#droppedTo;
  }

  /** The latest value that is not a gap. */
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

  /** Adds a value, with a gap before it if too much time has passed. Ignores a value that is not newer. */
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

  /** Adds a value that holds until the next one, however late that is: only changes are stored. */
  addStep(at: number, value: number): void {
    const previous = this.#length - 1;
    if (previous >= 0) {
      if (this.timeAt(previous) - at > clockStepMs) this.clear();
      else if (at <= this.timeAt(previous) || Object.is(this.valueAt(previous), value)) return;
    }
    this.#push(at, value);
  }

  /** Adds a gap after the last value. */
  addGap(): void {
    const previous = this.#length - 1;
    if (previous >= 0 && !Number.isNaN(this.valueAt(previous))) this.#push(this.timeAt(previous) + 1, Number.NaN);
  }

  /** Index of the first sample at or after a time; `length` if there is none. */
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

  /** Index of the last sample at or before a time; -1 if there is none. */
  indexAt(at: number): number {
    const next = this.indexFrom(at);
    return next < this.#length && this.timeAt(next) === at ? next : next - 1;
  }

  clear(): void {
    this.#first = 0;
    this.#length = 0;
    this.#intervalMs = 0;
    this.#droppedTo = Number.NEGATIVE_INFINITY;
  }

  #place(index: number): number {
    return (this.#first + index) & (this.#times.length - 1);
  }

  #push(at: number, value: number): void {
    if (this.#length === this.#times.length && this.#length < this.#capacity) this.#grow();
    const isFull = this.#length === this.#times.length;
    if (isFull) this.#droppedTo = this.timeAt(0);
    const place = this.#place(this.#length);
    this.#times[place] = at;
    this.#values[place] = value;
    if (isFull) this.#first = this.#place(1);
    else this.#length += 1;
  }

  #grow(): void {
    // The ring begins at its first place until it has its full size.
    const times = new Float64Array(this.#times.length * 2);
    const values = new Float64Array(this.#values.length * 2);
    times.set(this.#times);
    values.set(this.#values);
    this.#times = times;
    this.#values = values;
  }
}
