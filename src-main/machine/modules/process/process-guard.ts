import { spawn, type ChildProcess } from 'node:child_process';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';

/** A guard that ended sooner than this would do so again. */
const SHORTEST_LIFE_MS = 1_000;
/** Seconds that groups have to end by themselves after the server has ended. */
export const GUARD_GRACE_S = 5;
/** Seconds that killed groups have to end. */
const KILLED_S = 2;

/**
 * Reads `+ <group>` and `- <group>` until its input ends, which happens when the server ends for any reason. Then it
 * ends the remaining groups and stray processes (found by their cgroup, and by the address in their environment), and
 * removes the folder of their sockets.
 * Arguments: that folder, and the cgroup around those of all starts ('' if there is none).
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=' '
while read -r action group; do
  case $action in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
alive() { for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done; return 1; }
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
left=${GUARD_GRACE_S}
while [ $left -gt 0 ] && alive; do sleep 1; left=$((left - 1)); done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
left=${KILLED_S}
while [ -d "$2" ] && [ $left -ge 0 ]; do
  echo 1 >"$2/cgroup.kill" || kill -s KILL $(find "$2" -name cgroup.procs -exec cat {} +)
  find "$2" -depth -type d -exec rmdir {} +
  [ -d "$2" ] && sleep 1
  left=$((left - 1))
done
if [ -n "$1" ]; then
  for entry in $(grep -lsF "MODULE_ADDRESS=$1/" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${entry#/proc/}
    kill -s KILL "\${pid%/environ}" 2>/dev/null
  done
fi
[ -n "$1" ] && rm -rf -- "$1"
exit 0
`;

/** Folders that are removed if this program is killed; '' if there is none. */
export interface GuardedPlaces {
  /** Folder of the modules' sockets. */
  readonly folder: string;
  /** Around the cgroups of all starts of modules. */
  readonly cgroup: string;
}

/**
 * Ends the process groups of modules if this program is killed: one small process for all modules, which notices when
 * its pipe closes. If it cannot run (there is no \`sh\`), modules of the SDKs still end by themselves when their
 * connection to the machine closes.
 */
export class ProcessGuard {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #places: () => GuardedPlaces;
  readonly #groups = new Set<number>();
  #process: ChildProcess | undefined;
  #isClosed = false;

  /** @param places called when the first group is added */
  constructor(clock: Clock, logger: Logger, places: () => GuardedPlaces) {
    this.#clock = clock;
    this.#logger = logger;
    this.#places = places;
  }

  /** Id of the guard process; undefined if there is none. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  add(group: number): void {
    this.#groups.add(group);
    if (this.#process === undefined) this.#start();
    else this.#write(`+ ${group}\n`);
  }

  remove(group: number): void {
    if (this.#groups.delete(group)) this.#write(`- ${group}\n`);
  }

  /** Ends the guard process, because all groups have ended. */
  close(): void {
    this.#isClosed = true;
    this.#process?.stdin?.end();
  }

  #start(): void {
    if (this.#isClosed) return;
    const { folder, cgroup } = this.#places();
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'armature-modules', folder, cgroup], {
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
      // Outside the group that a terminal interrupts.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#process = child;
    const startedAt = this.#clock.monotonic();
    const lost = (reason: string): void => {
      if (this.#process !== child) return;
      this.#process = undefined;
      if (this.#isClosed) return;
      const isTriedAgain = this.#groups.size > 0 && this.#clock.monotonic() - startedAt >= SHORTEST_LIFE_MS;
      const next = isTriedAgain ? 'it is started again' : 'it is started again with the next module';
      this.#logger.warn(`What ends modules when this program is killed has ended (${reason}); ${next}.`);
      if (isTriedAgain) this.#start();
    };
    child.once('error', (error) => lost(error.message));
    child.once('exit', (code, signal) => lost(signal ?? `exit code ${code ?? 0}`));
    child.stdin?.on('error', () => undefined); // the exit is reported anyway
    child.unref();
    (child.stdin as { unref?(): void } | null)?.unref?.();
    this.#write([...this.#groups].map((group) => `+ ${group}\n`).join(''));
  }

  #write(words: string): void {
    this.#process?.stdin?.write(words);
  }
}
