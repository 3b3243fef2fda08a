import { ref, type Ref } from 'vue';
import { PlotBuffer } from './plot-buffer.ts';
import { PlotClock } from './plot-clock.ts';

/** When an answer was true, and what is missing before it. */
export interface PlotMoment {
  /** Machine time, ms. */
  readonly machineAt: number;
  /** How old it was when it came in, ms. */
  readonly ageMs: number;
  readonly skipped: number;
}

/**
 * What a plot shows: the samples of its channels, by name, on one clock. It is
 * filled as values come, and read when the plot is drawn; nothing of it but the
 * count of what is missing makes the page render.
 */
export class PlotFeed {
  readonly clock = new PlotClock();
  /** Values that the machine left out because this page or its link was too slow. */
  readonly dropped: Ref<number> = ref(0);
  readonly #channels = new Map<string, PlotBuffer>();

  channel(name: string): PlotBuffer {
    const known = this.#channels.get(name);
    if (known !== undefined) return known;
    const added = new PlotBuffer();
    this.#channels.set(name, added);
    return added;
  }

  /** Takes what an answer tells beside its values: the machine's time, and what was left out before it. */
  take({ machineAt, ageMs, skipped }: PlotMoment): void {
    this.clock.note(machineAt, performance.now() - ageMs);
    if (skipped > 0) this.dropped.value += skipped;
  }

  /** Takes a value of an answer; undefined is a gap. */
  add(name: string, { machineAt, skipped }: PlotMoment, value: number | undefined): void {
    const channel = this.channel(name);
    if (skipped > 0) channel.addGap();
    if (value === undefined || !Number.isFinite(value)) channel.addGap();
    else channel.add(machineAt, value);
  }

  /** No value of any channel for now. */
  addGaps(): void {
    for (const channel of this.#channels.values()) channel.addGap();
  }

  /** Takes what holds from now on; undefined is nothing. */
  addStep(name: string, at: number, value: number | undefined): void {
    this.channel(name).addStep(at, value ?? Number.NaN);
  }

  /** Begins anew: samples and counts. */
  reset(): void {
    for (const channel of this.#channels.values()) channel.clear();
    this.clock.clear();
    this.dropped.value = 0;
  }
}
