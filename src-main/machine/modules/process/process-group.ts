import { sleep, type Clock } from '../../../base/clock.ts';
import { processIds, readProcess } from './process-table.ts';

/** Sends a signal to a process or, with a negative id, to a group. False if there is none. */
function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(id, signal);
    return true;
  } catch (thrown) {
    // A process of the group runs as another user, so the group is alive.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** How often a group that is ending is checked. */
const POLL_MS = 20;
/** Time limit after SIGKILL: the kernel may hold a process in an uninterruptible wait. */
const KILLED_MS = 2_000;

/** A process, and everything it started that has not left its group. */
export class ProcessGroup {
  readonly #clock: Clock;
  readonly #leader: number;

  /** @param leader a process started with its own group, whose id is that of the group */
  constructor(leader: number, clock: Clock) {
    this.#leader = leader;
    this.#clock = clock;
  }

  /** Whether a process of the group is running. Zombies do not count. */
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
   * Ends the rest of a group whose leader has ended: with SIGTERM, then with SIGKILL after `graceMs`. Settles when no
   * process is left or the time is over.
   * @returns whether no process is left
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
