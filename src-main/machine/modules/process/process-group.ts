import { sleep, type Clock } from '../../../base/clock.ts';
import { processIds, readProcess } from './process-table.ts';

/** Sends a signal to a process, or with a negative id to a group. False where there is none. */
function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(id, signal);
    return true;
  } catch (thrown) {
    // A process of the group exists under another user, so the group is alive.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** How often a group is looked at while it ends. */
const POLL_MS = 20;
/** After SIGKILL: what the kernel holds in an uninterruptible wait is not waited for longer. */
const KILLED_MS = 2_000;

/** A process and all that it started and that did not leave its group. */
export class ProcessGroup {
  readonly #clock: Clock;
  readonly #leader: number;

  /** @param leader the process that was started with a group of its own; its id is the group's */
  constructor(leader: number, clock: Clock) {
    this.#leader = leader;
    this.#clock = clock;
  }

  /** Whether a process of the group runs. Zombies do not count. */
  get hasMembers(): boolean {
    if (!send(-this.#leader, 0)) return false;
    const ids = processIds();
    if (ids.length === 0) return true;
    return ids.some((pid) => {
      const found = readProcess(pid);
      return found?.group === this.#leader && !found.isZombie;
    });
  }

  signalLeader(signal: NodeJS.Signals): void {
    send(this.#leader, signal);
  }

  signal(signal: NodeJS.Signals): void {
    send(-this.#leader, signal);
  }

  /**
   * Ends what is left of a group whose leader has ended: with SIGTERM, and
   * with SIGKILL after `graceMs`. Settles when nothing is left.
   * @returns whether nothing is left
   */
  async end(graceMs: number): Promise<boolean> {
    if (!this.hasMembers) return true;
    if (graceMs > 0) {
      this.signal('SIGTERM');
      if (await this.#isGoneWithin(graceMs)) return true;
    }
    this.signal('SIGKILL');
    return this.#isGoneWithin(KILLED_MS);
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const until = this.#clock.monotonic() + ms;
    while (this.hasMembers) {
      if (this.#clock.monotonic() >= until) return false;
      await sleep(this.#clock, POLL_MS);
    }
    return true;
  }
}
