import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { GUARD_GRACE_S } from '../process/process-guard.ts';
import { readProcess } from '../process/process-table.ts';
import { Cgroup } from './cgroup.ts';
import { JOIN_AND_RUN } from './joined-command.ts';
import { ownCgroup } from './own-cgroup.ts';

/** Time limit for starting a program on a busy computer. */
const PROBE_TIMEOUT_MS = 10_000;
/** A killed server's processes are left to its guard for this long. */
const LEFT_MS = (GUARD_GRACE_S + 5) * 1_000;

/**
 * Cgroups (version 2) for modules, one a start, in a folder below the server's own cgroup. No controller is enabled:
 * they limit nothing, they only group processes. They are used where the server may create them: as root, or where a
 * part of the tree was delegated to it (`Delegate=yes` of systemd).
 */
export class StartCgroups {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #made: Promise<Cgroup | undefined> | undefined;
  #base: Cgroup | undefined;
  #leftOvers: Timer | undefined;
  #starts = 0;
  #isToldOf = false;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The folder of all of them; '' while there is none. */
  get base(): string {
    return this.#base?.folder ?? '';
  }

  /** Creates one. Undefined if that is not possible here, which is logged once. */
  async open(): Promise<Cgroup | undefined> {
    const base = await (this.#made ??= this.#makeBase());
    if (base === undefined) return undefined;
    const folder = path.join(base.folder, String(++this.#starts));
    try {
      mkdirSync(folder);
    } catch (thrown) {
      this.#report(toArmatureError(thrown).message);
      return undefined;
    }
    return new Cgroup(folder, this.#clock);
  }

  /** Cleans up after killed servers of this computer: empty cgroups at once, others after the time of their guards. */
  endLeftOvers(): void {
    if (this.#leftOvers !== undefined) return;
    const populated = leftOvers().filter((folder) => !new Cgroup(folder, this.#clock).remove());
    this.#leftOvers = this.#clock.after(LEFT_MS, () => {
      for (const folder of populated) void new Cgroup(folder, this.#clock).end();
    });
  }

  /** Kills everything that is left in any of them. */
  async close(): Promise<void> {
    this.#leftOvers?.cancel();
    const base = await this.#made;
    if (base !== undefined && !(await base.end())) this.#logger.error(`Cgroup ${base.folder} could not be emptied.`);
  }

  /** Tries it the way a start does. Never rejects. */
  async #makeBase(): Promise<Cgroup | undefined> {
    if (process.platform !== 'linux') return undefined;
    let base: Cgroup | undefined;
    try {
      const own = findOwn();
      if (own === undefined) throw new Error('no cgroup v2 is mounted here');
      base = new Cgroup(mkdtempSync(path.join(own, `${prefixOf(process.pid)}-`)), this.#clock);
      const [shell, ...args] = JOIN_AND_RUN;
      const { stderr } = await promisify(execFile)(shell, [...args, base.members, 'true'], {
        timeout: PROBE_TIMEOUT_MS,
      });
      if (stderr.trim() !== '') throw new Error(stderr.trim());
      this.#base = base;
      return base;
    } catch (thrown) {
      this.#report(toArmatureError(thrown).message);
      base?.remove();
      return undefined;
    }
  }

  #report(reason: string): void {
    if (this.#isToldOf) return;
    this.#isToldOf = true;
    this.#logger.info(
      `Modules run without a cgroup of their own (${reason}): of what leaves a module's process group, only what keeps ` +
        'its environment or runs as its own user ends with it.',
    );
  }
}

function findOwn(): string | undefined {
  return ownCgroup(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
}

/**
 * Identifies the server that created it: the namespace of its process id, the id, and its start time, because ids are
 * reused.
 */
function prefixOf(pid: number): string {
  return `armature-${namespaceOfIds()}-${pid}-${readProcess(pid)?.startTicks ?? 0}`;
}

/** The number of this process's PID namespace, see pid_namespaces(7). */
function namespaceOfIds(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
}

/**
 * Folders of servers that have ended. Folders of other namespaces are left alone, because their servers may still run.
 */
function leftOvers(): string[] {
  if (process.platform !== 'linux') return [];
  try {
    const own = findOwn();
    if (own === undefined) return [];
    return readdirSync(own).flatMap((name) => {
      const [, prefix, namespace, pid] = /^(armature-(\d+)-(\d+)-\d+)-\w{6}$/.exec(name) ?? [];
      if (prefix === undefined || namespace !== namespaceOfIds()) return [];
      const isRunning = prefix === prefixOf(Number(pid)) && readProcess(Number(pid))?.isZombie === false;
      return isRunning ? [] : path.join(own, name);
    });
  } catch {
    // If it cannot be read, it cannot be removed either.
    return [];
  }
}
