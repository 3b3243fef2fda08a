import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ownCgroup } from '../../src-main/machine/modules/cgroup/own-cgroup.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
const canUnshare = spawnSync(
  asNobody[0] ?? '',
  [...asNobody.slice(1), 'unshare', '--user', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'x', '/tmp'],
  { stdio: 'ignore' },
).status;

/** Reports whether it can do certain things; `go` passes the data that it needs. */
const prober = `#!/bin/sh
root=$(dirname "$0")
while [ ! -f "$root/go" ]; do sleep 0.1; done
. "$root/go"
try() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "reach $name yes"; else echo "reach $name no"; fi; }
try hub-store sh -c 'cat "$(find "$1/hub" -type f | head -n 1)"' sh "$HOME_FOLDER"
try state sh -c 'cat "$(find "$1/state" -type f | head -n 1)"' sh "$HOME_FOLDER"
try server-environment cat "/proc/$SERVER/environ"
try server-memory sh -c 'exec 3<"/proc/$1/mem"' sh "$SERVER"
try other-environment cat "/proc/$VICTIM/environ"
try other-memory sh -c 'exec 3<"/proc/$1/mem"' sh "$VICTIM"
try other-data cat "$HOME_FOLDER/module-data/local/victim/secret"
try other-socket ls "$VICTIM_SOCKETS"
try other-program sh -c 'echo x >>"$1"' sh "$VICTIM_PROGRAM"
try own-data sh -c 'echo x >"$1/mine" && cat "$1/mine"' sh "$SVC_MODULE_DATA"
try own-program cat "$0"
try own-parent-socket test -w "$(dirname "$SVC_MODULE_ADDRESS")/parent.sock"
try new-privileges sh -c '! grep -q "NoNewPrivs:.1" /proc/self/status'
echo "reach done $(id -u)"
exec sleep 1000
`;

const victim = `#!/bin/sh
umask 077
echo secret >"$SVC_MODULE_DATA/secret"
echo "victim $$ $(dirname "$SVC_MODULE_ADDRESS")"
exec sleep 1000
`;

/** Starts another process that leaves its group and its parent, twice. */
const daemonizer = `#!/bin/sh
setsid sh -c '(sleep 1000 & echo "stray $!") &'
exec sleep 1000
`;

/** The same, and its environment does not show whose it is. */
const escaper = `#!/bin/sh
echo "module $$"
setsid env -i /bin/sh -c '(sleep 1000 & echo "stray $!") &'
exec sleep 1000
`;

/** Below this a server of this computer creates cgroups for its modules; undefined where it cannot. */
const cgroups = ((): string | undefined => {
  try {
    const found = ownCgroup(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
    if (found === undefined) return undefined;
    rmdirSync(mkdtempSync(path.join(found, 'test-')));
    return found;
  } catch {
    return undefined;
  }
})();
const noCgroups = cgroups === undefined;
const skipped = noCgroups ? ' (skipped: there is no cgroup v2 here that can be written to)' : '';

/** Cgroups that a server created and that still exist. */
function cgroupsOf(server: ServerProcess, folder = cgroups ?? ''): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('armature-') && name.includes(`-${server.process.pid}-`));
}

interface Probed {
  readonly reach: Readonly<Record<string, boolean>>;
  readonly uid: number;
}

let server: ServerProcess | undefined;
let folder = '';
/** Ended even if a test fails. */
let stray = 0;

afterEach(async () => {
  await server?.stop();
  server = undefined;
  if (stray !== 0 && existsSync(`/proc/${stray}`)) process.kill(stray, 'SIGKILL');
  stray = 0;
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string, text: string, owner: number): string {
  const home = path.join(folder, name);
  mkdirSync(home);
  const file = path.join(home, `${name}.sh`);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  for (const one of [home, file]) chownSync(one, owner, owner);
  return file;
}

async function start(
  serverUid: number,
  modules: Readonly<Record<string, string>>,
  more: object = {},
  through: readonly string[] = serverUid === 0 ? [] : asNobody,
): Promise<{ server: ServerProcess; programs: Record<string, string> }> {
  folder = mkdtempSync(path.join(os.tmpdir(), 'isolation-'));
  chmodSync(folder, 0o755);
  const home = path.join(folder, 'server');
  mkdirSync(home);
  chownSync(home, serverUid, serverUid);
  const programs = Object.fromEntries(
    Object.entries(modules).map(([name, text]) => [name, program(name, text, serverUid)]),
  );
  const entries = Object.entries(programs).map(([name, executable_path]) => ({
    name,
    type: 'local',
    module_id: `acme:${name}`,
    version: '0.0.1',
    executable_path,
    ...more,
  }));
  server = await startServer({
    config: JSON.stringify({ network: { bind_address: 'localhost:0' }, modules: entries }),
    home,
    through,
  });
  return { server, programs };
}

async function probe(serverUid: number, more: object = {}): Promise<Probed> {
  const { server: running, programs } = await start(serverUid, { prober, victim }, more);
  await until('the other runs', () => /victim \d+ \S+/.test(running.stderr()), 20_000);
  const [, victimPid = '', sockets = ''] = /victim (\d+) (\S+)/.exec(running.stderr()) ?? [];
  const home = path.join(running.home, 'home');
  await until(
    'the hub has its store',
    () => existsSync(path.join(home, 'hub')) && readdirSync(path.join(home, 'hub')).length > 0,
    20_000,
  );
  const facts = {
    HOME_FOLDER: home,
    SERVER: String(running.process.pid),
    VICTIM: victimPid,
    VICTIM_SOCKETS: sockets,
    VICTIM_PROGRAM: programs['victim'] ?? '',
  };
  const go = path.join(path.dirname(programs['prober'] ?? ''), 'go');
  writeFileSync(
    `${go}.new`,
    Object.entries(facts)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  );
  spawnSync('mv', [`${go}.new`, go]);
  await until('it has tried', () => /reach done \d+/.test(running.stderr()), 20_000);
  const found = [...running.stderr().matchAll(/reach ([\w-]+) (yes|no)/g)];
  return {
    reach: Object.fromEntries(found.map(([, name = '', answer]) => [name, answer === 'yes'])),
    uid: Number(/reach done (\d+)/.exec(running.stderr())?.[1]),
  };
}

const ownOnly = {
  'hub-store': false,
  state: false,
  'server-environment': false,
  'server-memory': false,
  'other-environment': false,
  'other-memory': false,
  'other-data': false,
  'other-socket': false,
  'own-data': true,
  'own-program': true,
  'own-parent-socket': true,
  'new-privileges': false,
};

describe.skipIf(!isRoot)('a module', { timeout: 60_000 }, () => {
  it('of a server that is root has a user of its own, and reaches nothing but what is its own', async () => {
    const { reach, uid } = await probe(0);
    expect(reach).toEqual({ ...ownOnly, 'other-program': false });
    expect(uid).toBeGreaterThanOrEqual(1_879_048_192);
  });

  it.skipIf(canUnshare !== 0)(
    'of a person sees no files of the server and of other modules, and reads no memory',
    async () => {
      const { reach, uid } = await probe(NOBODY);
      // A program outside the server's folder belongs to the same user as the module.
      expect(reach).toEqual({ ...ownOnly, 'other-program': true });
      expect(uid).toBe(NOBODY);
    },
  );

  it('of a person, without isolation, reaches what that person may, but for the memory of the server', async () => {
    const { reach } = await probe(NOBODY, { isolation: 'none' });
    expect(reach).toEqual({
      ...Object.fromEntries(Object.keys(ownOnly).map((name) => [name, true])),
      'other-program': true,
      'server-environment': false,
      'server-memory': false,
    });
  });

  it('of a server that is root, without isolation, is root', async () => {
    const { reach, uid } = await probe(0, { isolation: 'none' });
    expect(Object.values(reach).every((can) => can)).toBe(true);
    expect(uid).toBe(0);
  });

  it.each([
    ['root', 0, {}],
    ['a person', NOBODY, {}],
    ['a person, without isolation', NOBODY, { isolation: 'none' }],
  ])('of %s takes along what left its process group', async (_who, uid, more) => {
    const { server: running } = await start(uid, { daemonizer }, more);
    await until('it has left', () => /stray \d+/.test(running.stderr()), 20_000);
    const stray = Number(/stray (\d+)/.exec(running.stderr())?.[1]);
    expect(existsSync(`/proc/${stray}`)).toBe(true);
    await running.writeConfig(JSON.stringify({ network: { bind_address: 'localhost:0' }, modules: [] }));
    await until('it is gone', () => !existsSync(`/proc/${stray}`), 20_000);
  });

  it('of a killed server takes along what left its process group', async () => {
    const { server: running } = await start(0, { daemonizer });
    await until('it has left', () => /stray \d+/.test(running.stderr()), 20_000);
    const stray = Number(/stray (\d+)/.exec(running.stderr())?.[1]);
    await running.crash();
    await until('it is gone', () => !existsSync(`/proc/${stray}`), 20_000);
  });

  describe.skipIf(noCgroups)(`whose child also clears its environment${skipped}`, () => {
    const alone = { isolation: 'none' };
    const idle = JSON.stringify({ network: { bind_address: 'localhost:0' }, modules: [] });

    async function escaped(running: ServerProcess): Promise<number> {
      await until('it has left', () => /stray \d+/.test(running.stderr()), 20_000);
      stray = Number(/stray (\d+)/.exec(running.stderr())?.[1]);
      expect(readFileSync(`/proc/${stray}/environ`, 'utf8')).not.toContain('MODULE_ADDRESS');
      return Number(/module (\d+)/.exec(running.stderr())?.[1]);
    }

    it('takes it along when it is stopped, and leaves no cgroup', async () => {
      const { server: running } = await start(0, { escaper }, alone);
      await escaped(running);
      await running.writeConfig(idle);
      await until('it is gone', () => !existsSync(`/proc/${stray}`), 20_000);
      await running.stop();
      expect(cgroupsOf(running)).toEqual([]);
    });

    it('takes it along when it crashes', async () => {
      const { server: running } = await start(0, { escaper }, alone);
      const module = await escaped(running);
      process.kill(module, 'SIGKILL');
      await until('it is gone', () => !existsSync(`/proc/${stray}`), 20_000);
    });

    it('takes it along when the server is killed, and leaves no cgroup', async () => {
      const { server: running } = await start(0, { escaper }, alone);
      await escaped(running);
      await running.crash();
      await until('it is gone', () => !existsSync(`/proc/${stray}`), 20_000);
      await until('its cgroup is gone', () => cgroupsOf(running).length === 0, 20_000);
    });

    it('takes it along under the server of a person that was given a cgroup', async () => {
      const given = mkdtempSync(path.join(cgroups ?? '', 'test-'));
      for (const file of ['', 'cgroup.procs', 'cgroup.subtree_control'])
        chownSync(path.join(given, file), NOBODY, NOBODY);
      const join = ['sh', '-c', 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"', 'sh', given];
      try {
        const { server: running } = await start(NOBODY, { escaper }, alone, [...join, ...asNobody]);
        await escaped(running);
        await running.writeConfig(idle);
        await until('it is gone', () => !existsSync(`/proc/${stray}`), 20_000);
        await running.stop();
        expect(cgroupsOf(running, given)).toEqual([]);
      } finally {
        await server?.stop();
        await until('its cgroup is empty', () => readFileSync(path.join(given, 'cgroup.procs'), 'utf8') === '', 20_000);
        rmdirSync(given);
      }
    });

    it('is ended by the next server where nobody did when the first was killed', async () => {
      const { server: first } = await start(0, { escaper }, alone);
      await escaped(first);
      const guard = childOf(first.process.pid ?? 0, 'armature-modules');
      process.kill(guard, 'SIGSTOP');
      try {
        await first.crash();
        expect(existsSync(`/proc/${stray}`)).toBe(true);
        writeFileSync(first.configPath, idle);
        server = await startServer({ config: idle, home: first.home });
        await until('it is gone', () => !existsSync(`/proc/${stray}`), 30_000);
        await until('its cgroup is gone', () => cgroupsOf(first).length === 0, 20_000);
      } finally {
        process.kill(guard, 'SIGCONT');
      }
    });
  });
});

/** Id of a child process, identified by a word of its command. */
function childOf(parent: number, word: string): number {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
  return Number(children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)));
}
