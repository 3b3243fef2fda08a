import { ref, type Ref } from 'vue';
import { PlotBuffer } from './plot-buffer.ts';
import { PlotClock } from './plot-clock.ts';

/** The time of an answer, and how many are missing before it. */
export interface PlotMoment {
  /** Machine time, ms. */
  readonly machineAt: number;
  /** How old it was when it arrived, ms. */
  readonly ageMs: number;
  readonly skipped: number;
}

/**
 * The data of a plot: the samples of its channels, by name, on one clock. It is
 * filled as values arrive and read when the plot is drawn. Only the count of
 * dropped values is reactive.
 */
export class PlotFeed {
  readonly clock = new PlotClock();
  /** Number of values that the machine dropped because this page or its link was too slow. */
  readonly dropped: Ref<number> = ref(0);
  readonly #channels = new Map<string, PlotBuffer>();

  channel(name: string): PlotBuffer {
    const known = this.#channels.get(name);
    if (known !== undefined) return known;
    const added = new PlotBuffer();
    this.#channels.set(name, added);
    return added;
  }

  /** Takes the machine's time of an answer, and the number of dropped answers before it. */
  take({ machineAt, ageMs, skipped }: PlotMoment): void {
    this.clock.note(machineAt, performance.now() - ageMs);
    if (skipped > 0) this.dropped.value += skipped;
  }

  /** Adds a value of an answer; undefined is a gap. */
  add(name: string, { machineAt, skipped }: PlotMoment, value: number | undefined): void {
    const channel = this.channel(name);
    if (skipped > 0) channel.addGap();
    if (value === undefined || !Number.isFinite(value)) channel.addGap();
    else channel.add(machineAt, value);
  }

  /** Adds a gap to every channel. */
  addGaps(): void {
    for (const channel of this.#channels.values()) channel.addGap();
  }

  /** Adds a value that holds until the next one; undefined for none. */
  addStep(name: string, at: number, value: number | undefined): void {
    this.channel(name).addStep(at, value ?? Number.NaN);
  }

  /** Clears samples and counts. */
  reset(): void {
    for (const channel of this.#channels.values()) channel.clear();
    this.clock.clear();
    this.dropped.value = 0;
  }
}
