import { readFileSync } from 'node:fs';
import { sleep, type Clock } from '../../../base/clock.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import { processIds, readProcess } from './process-table.ts';

/** How often the processes are searched for while they end, and for how long after SIGKILL. */
const POLL_MS = 50;
const KILLED_MS = 2_000;

/** Processes of a module's start that left its process group (`setsid`, a daemon). */
export class StrayProcesses {
  readonly #mark: Buffer;
  readonly #uid: number | undefined;
  readonly #cgroup: Cgroup | undefined;
  readonly #clock: Clock;

  /**
   * @param address where this start listens: only its processes have it in their environment
   * @param uid a user that only this module has; undefined if it has none
   * @param cgroup contains exactly the processes of this start; undefined if there is none
   */
  constructor(address: string, uid: number | undefined, cgroup: Cgroup | undefined, clock: Clock) {
    this.#mark = Buffer.from(`MODULE_ADDRESS=${address}\0`);
    this.#uid = uid;
    this.#cgroup = cgroup;
    this.#clock = clock;
  }

  /** The ones that are running now. */
  find(): readonly number[] {
    const members = new Set(this.#cgroup?.processes());
    return processIds().filter((pid) => pid !== process.pid && (members.has(pid) || this.#isOne(pid)));
  }

  /**
   * Ends them with SIGTERM, and kills them after `graceMs`. Removes the cgroup.
   * @returns those that could not be ended
   */
  async end(graceMs: number): Promise<readonly number[]> {
    let left = this.find();
    for (const [signal, ms] of [['SIGTERM', graceMs] as const, ['SIGKILL', KILLED_MS] as const]) {
      const until = this.#clock.monotonic() + ms;
      for (const pid of left) send(pid, signal);
      while (left.length > 0 && this.#clock.monotonic() < until) {
        await sleep(this.#clock, POLL_MS);
        const now = this.find();
        // Processes that were started meanwhile are ended as well.
        for (const pid of now) if (!left.includes(pid)) send(pid, signal);
        left = now;
      }
    }
    const isEmpty = (await this.#cgroup?.end()) ?? true;
    return isEmpty ? left : this.find();
  }

  #isOne(pid: number): boolean {
    try {
      // Nothing can be read about a zombie.
      if (readFileSync(`/proc/${pid}/environ`).includes(this.#mark)) return true;
      if (this.#uid === undefined) return false;
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      return status.includes(`\nUid:\t${this.#uid}\t`) && readProcess(pid)?.isZombie === false;
    } catch {
      // It has ended meanwhile, or is another user's.
      return false;
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
