import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sleep, type Clock } from '../../../base/clock.ts';

/**
 * How often a cgroup that is ending is checked, and for how long: there is a limit because the kernel may hold a
 * process.
 */
const POLL_MS = 10;
const KILLED_MS = 2_000;

/** A folder in the cgroup tree, version 2 (docs.kernel.org, "Control Group v2"), with everything below it. */
export class Cgroup {
  readonly folder: string;
  /** A process that writes its id to this file joins the cgroup, with everything that it starts afterwards. */
  readonly members: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.folder = folder;
    this.members = path.join(folder, 'cgroup.procs');
    this.#clock = clock;
  }

  /** Ids of its processes, without those that only wait to be reaped. */
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
   * Kills its processes and removes it. Settles when no process is left.
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

  /** Removes it if no process runs in it; the kernel refuses otherwise. */
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

  /** This folder and those below it, which a module may have made; the innermost first. */
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
    // It was removed meanwhile.
  }
}
