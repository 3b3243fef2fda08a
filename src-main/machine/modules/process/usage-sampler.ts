import { setImmediate } from 'node:timers/promises';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { ProcessUsage } from '../module-status.ts';
import { processIds, readProcess, residentBytes, TICKS_PER_S, type ProcessEntry } from './process-table.ts';

/** How often usage is measured. */
export const SAMPLE_MS = 2_000;
/** How many processes are read in one turn of the event loop. */
const BATCH_SIZE = 50;

interface Sample {
  readonly entry: ProcessEntry;
  readonly at: number;
}

export interface UsageSamplerOptions {
  readonly clock: Clock;
  /** Ids of the group leaders to measure. */
  readonly groups: () => ReadonlySet<number>;
  /** Called after each measurement with the usage of every group. */
  readonly onUsage: (usage: ReadonlyMap<number, ProcessUsage>) => void;
}

/**
 * Measures the usage of process groups: while it is running, one pass over all processes of the computer at a time, in
 * batches.
 */
export class UsageSampler {
  readonly #options: UsageSamplerOptions;
  #samples = new Map<number, Sample>();
  #timer: Timer | undefined;
  #isMeasuring = false;

  constructor(options: UsageSamplerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#options.clock.every(SAMPLE_MS, () => void this.measure());
    void this.measure();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#samples.clear();
  }

  /** One pass. For a process that is new, only its memory counts. */
  async measure(): Promise<void> {
    const { clock, groups, onUsage } = this.#options;
    const wanted = groups();
    if (wanted.size === 0 || this.#isMeasuring) return;
    this.#isMeasuring = true;
    const before = this.#samples;
    const samples = new Map<number, Sample>();
    const usage = new Map<number, ProcessUsage>();
    let read = 0;
    for (const pid of processIds()) {
      if (++read % BATCH_SIZE === 0) await setImmediate();
      const entry = readProcess(pid);
      if (entry === undefined || entry.isZombie || !wanted.has(entry.group)) continue;
      const sample = { entry, at: clock.monotonic() };
      samples.set(pid, sample);
      const { cpu, memoryBytes } = usage.get(entry.group) ?? { cpu: 0, memoryBytes: 0 };
      usage.set(entry.group, {
        cpu: cpu + cpuSince(before.get(pid), sample),
        memoryBytes: memoryBytes + residentBytes(pid),
      });
    }
    this.#isMeasuring = false;
    if (this.#timer === undefined) return;
    this.#samples = samples;
    onUsage(usage);
  }
}

/** Cores that a process has used between two measurements. */
function cpuSince(before: Sample | undefined, now: Sample): number {
  if (before === undefined || before.entry.startTicks !== now.entry.startTicks || now.at <= before.at) return 0;
  const seconds = (now.entry.cpuTicks - before.entry.cpuTicks) / TICKS_PER_S;
  return Math.max(0, (seconds * 1_000) / (now.at - before.at));
}
