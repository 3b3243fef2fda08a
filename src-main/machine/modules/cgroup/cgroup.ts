import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sleep, type Clock } from '../../../base/clock.ts';

/** How often it is looked at while it ends, and for how long: what the kernel holds is not waited for longer. */
const POLL_MS = 10;
const KILLED_MS = 2_000;

/** A folder of a tree of cgroups, version 2 (docs.kernel.org, "Control Group v2"), with all that is below it. */
export class Cgroup {
  readonly folder: string;
  /** A process that writes its id there becomes a member, and so does all that it starts from then on. */
  readonly members: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.folder = folder;
    this.members = path.join(folder, 'cgroup.procs');
    this.#clock = clock;
  }

  /** Ids of the processes in it. What only waits to be reaped is not listed. */
  processes(): readonly number[] {
    return this.#folders().flatMap((folder) => {
      try {
        const ids = readFileSync(path.join(folder, 'cgroup.procs'), 'utf8').split('\n').map(Number);
        // 0 is a process of another namespace.
        return ids.filter((pid) => pid > 0 && pid !== process.pid);
      } catch {
        return [];
      }
    });
  }

  /**
   * Kills its processes and removes it. Settles when none is left.
   * @returns whether it was removed
   */
  async end(): Promise<boolean> {
    const until = this.#clock.monotonic() + KILLED_MS;
    while (!this.remove()) {
      if (this.#clock.monotonic() >= until) return false;
      this.#kill();
      await sleep(this.#clock, POLL_MS);
    }
    return true;
  }

  /** Removes it if nothing runs in it, which the kernel sees to. */
  remove(): boolean {
    try {
      for (const folder of this.#folders()) rmdirSync(folder);
      return true;
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }

  #kill(): void {
    try {
      // Also kills processes that are starting. Without O_CREAT: the file is missing before Linux 5.14.
      writeFileSync(path.join(this.folder, 'cgroup.kill'), '1', { flag: 'r+' });
    } catch {
      for (const pid of this.processes()) kill(pid);
    }
  }

  /** Itself and those below it, which a module may have made; the innermost first. */
  #folders(folder = this.folder): string[] {
    try {
      const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
      return [...inside.flatMap(({ name }) => this.#folders(path.join(folder, name))), folder];
    } catch {
      return [];
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile.
  }
}
