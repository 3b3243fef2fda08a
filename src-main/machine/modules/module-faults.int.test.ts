import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModuleTiming } from './run/module-timing.ts';
import { moduleBench, moduleConfig, type ModuleBench } from './testing/module-bench.ts';
import { ended, isAlive, openDescriptors } from './testing/process-facts.ts';

let bench: ModuleBench;

afterEach(async () => {
  await bench.close();
});

const quick: Partial<ModuleTiming> = { readyPauseMs: 20, groupTermMs: 200, killMs: 600, releaseMs: 500 };

/** Settles when a folder has been removed; the test's own time limit applies. */
function gone(folder: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(path.dirname(folder), () => look());
    const look = (): void => {
      if (existsSync(folder)) return;
      watcher.close();
      resolve();
    };
    look();
  });
}

const reasonOf = (name: string): string => {
  const state = bench.manager.statuses().find((status) => status.name === name)?.state;
  return state?.reason ?? '';
};

describe('a module that', () => {
  it('hangs is found, killed and started again', async () => {
    bench = moduleBench({
      timing: { ...quick, healthEveryMs: 150, healthAnswerMs: 150, healthMisses: 2, hangMs: 900 },
    });
    bench.manager.apply([bench.config('test', 'hangs')]);
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    const silent = await bench.until('test', ({ state }) => state.kind === 'ready' && state.reason !== '');
    expect(silent.state.reason).toMatch(/^has not answered for [\d.]+ s$/);
    const { state } = await bench.until('test', ({ state: now }) => now.kind === 'failed');
    expect(state.reason).toMatch(/^hangs: it has not answered for [\d.]+ s/);
    const again = await bench.until('test', (status) => status.state.kind === 'ready' && status.pid !== pid);
    expect(again.restarts).toBe(1);
    expect(isAlive(-pid)).toBe(false);
  });

  it('blocks its loop for a while, as one that loads a model, is told of and keeps its process', async () => {
    bench = moduleBench({ timing: { ...quick, healthEveryMs: 100, healthAnswerMs: 100, healthMisses: 2 } });
    bench.manager.apply([bench.config('test', 'blocks')]);
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    await bench.until('test', ({ state }) => state.reason.startsWith('has not answered for'));
    const after = await bench.until('test', ({ state }) => state.reason === '');
    expect(after).toMatchObject({ pid, restarts: 0, state: { kind: 'ready' } });
  });

  it('loses its connection, its process going on, is ended and started again', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', 'hangs-up outlives-parent')]);
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    const { state } = await bench.until('test', ({ state: now }) => now.kind === 'failed');
    expect(state.reason).toMatch(/^closed its connection/);
    await bench.until('test', (status) => status.pid !== pid && status.state.kind === 'ready');
    expect(isAlive(-pid)).toBe(false);
  });

  it('rdk#4997: dies 100 ms after it was ready is started at once five times, then with a growing delay, once at a time', async () => {
    bench = moduleBench({ timing: quick });
    const pids = new Set<number>();
    bench.manager.subscribe(({ upserted }) => upserted.forEach(({ pid }) => pid !== 0 && pids.add(pid)));
    bench.manager.apply([bench.config('test', 'dies-after-ready')]);
    const { state, restarts } = await bench.until(
      'test',
      ({ state: now }) => now.kind === 'failed' && now.attempts === 6 && now.nextRetryAt !== undefined,
    );
    expect(restarts).toBe(6);
    expect(pids.size).toBe(6);
    expect(state.reason).toMatch(/^ended: exit code 7 after/);
  });

  it('answers garbage fails with what it did', async () => {
    bench = moduleBench({ timing: { ...quick, startupMs: 1_500 } });
    bench.manager.apply([bench.config('test', 'garbage')]);
    await bench.until('test', ({ state, pid }) => state.kind === 'failed' && pid === 0);
    expect(reasonOf('test')).toMatch(
      /^did not become ready: it was not ready within 1.5 s: it took no connection \(.+\)/,
    );
  });

  it('fails at Ready is not asked for ever', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', 'ready-fails')]);
    await bench.until('test', ({ state, pid }) => state.kind === 'failed' && pid === 0);
    expect(reasonOf('test')).toContain('did not become ready: its Ready failed (INTERNAL: the arm is not connected');
  });

  it('never listens is given up with its budget', async () => {
    bench = moduleBench({ timing: { ...quick, startupMs: 800 } });
    bench.manager.apply([bench.config('test', 'never-listens')]);
    await bench.until('test', ({ state, pid }) => state.kind === 'failed' && pid === 0);
    expect(reasonOf('test')).toBe('did not become ready: it was not ready within 0.8 s: its socket did not appear');
  });

  it('ignores SIGTERM is killed', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', 'ignores-term outlives-parent')]);
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    await bench.manager.close();
    expect(isAlive(-pid)).toBe(false);
  });

  it.each([['is stopped'], ['crashes']])('started children and %s leaves none behind', async (how) => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', 'forks')]);
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    if (how === 'crashes') {
      process.kill(pid, 'SIGKILL');
      await bench.until('test', (status) => status.state.kind === 'ready' && status.pid !== pid);
    } else {
      bench.manager.apply([]);
      await ended(-pid, 5_000);
    }
    expect(isAlive(-pid)).toBe(false);
  });

  it('rdk#4090, rdk#5467: never gets ready holds up no other, and not the end of the machine', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('stuck', 'never-ready'), bench.config('test', '')]);
    await bench.until('test', ({ state }) => state.kind === 'ready');
    expect(bench.manager.absenceOf('acme:stuck')).toMatchObject({ kind: 'starting' });
    const { pid } = await bench.until('stuck', (status) => status.pid !== 0);
    await bench.manager.close();
    expect(isAlive(-pid)).toBe(false);
  });
});

describe('a program that cannot be started', () => {
  it('is told of with the next step, and started when it is there', async () => {
    bench = moduleBench({ timing: quick });
    const file = path.join(bench.home, 'late');
    bench.manager.apply([moduleConfig('test', file)]);
    await bench.until('test', ({ state }) => state.kind === 'failed');
    expect(reasonOf('test')).toBe(`has no program to run: ${file} is not there: build it, or correct executable_path`);
    writeFileSync(file, 'no program');
    await bench.until('test', ({ state }) => state.reason.includes('chmod +x'));
    chmodSync(file, 0o755);
    await bench.until('test', ({ state }) => state.kind === 'failed' && state.attempts > 0);
    expect(reasonOf('test')).toMatch(/cannot be started: it is no program for this computer|ended: exit code 127/);
  });

  it('-untrusted-env starts none', async () => {
    bench = moduleBench({ isEnvironmentUntrusted: true });
    bench.manager.apply([bench.config('test', '')]);
    expect(bench.manager.statuses()[0]).toMatchObject({
      state: {
        kind: 'failed',
        reason: 'is not started: this server runs with -untrusted-env, which allows no processes',
      },
      pid: 0,
    });
    await expect(bench.manager.restart('test')).rejects.toThrow(/-untrusted-env/);
  });
});

describe('what a process is given', () => {
  it('is its address, its level, its folder, every variable under both names, and not the secrets of the server', async () => {
    process.env['SECRET_OF_THE_SERVER'] = 'do not pass on';
    bench = moduleBench({ timing: quick });
    const env = { MINE: 'yes', SVC_MODULE_NAME: 'over' };
    bench.manager.apply([bench.config('test', 'tells', { logLevel: 'debug', env, moduleId: 'acme:motors' })]);
    await bench.until('test', ({ state }) => state.kind === 'ready');
    delete process.env['SECRET_OF_THE_SERVER'];
    const entry = await bench.logged(({ message }) => message === 'started with');
    const {
      args,
      cwd,
      env: given,
    } = entry.fields as unknown as { args: string[]; cwd: string; env: Record<string, string> };
    expect(entry.logger).toBe('core.modmanager.test.StdOut');
    expect(args).toEqual([given['SVC_MODULE_ADDRESS'], '--log-level=debug']);
    expect(cwd).toBe(bench.home);
    expect(given).toMatchObject({
      MINE: 'yes',
      SVC_MODULE_NAME: 'over',
      VIAM_MODULE_NAME: 'test',
      SVC_MODULE_ID: 'acme:motors',
      VIAM_MODULE_ROOT: bench.home,
      SVC_MODULE_DATA: path.join(bench.home, 'module-data', 'local', 'test'),
      SVC_MODULE_STARTUP_TIMEOUT: '5m0s',
    });
    expect(given['SECRET_OF_THE_SERVER']).toBeUndefined();
    expect(existsSync(given['SVC_MODULE_DATA'] ?? '')).toBe(true);
  });

  it('in TCP mode is a port, and it calls its machine by one', async () => {
    bench = moduleBench({ timing: quick });
    const config = bench.config('test', 'tells');
    bench.manager.apply([{ ...config, raw: { ...config.raw, tcp_mode: true } }]);
    await bench.until('test', ({ state }) => state.kind === 'ready');
    const entry = await bench.logged(({ message }) => message === 'started with');
    expect(entry.fields['args']).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/), '--tcp-mode']);
    expect(bench.trusted).toMatchObject([{ module: 'test' }]);
  });
});

describe('a server', () => {
  it('rdk#4657: that is killed takes its modules along, whatever they do', async () => {
    bench = moduleBench();
    const behaviour = 'ignores-term outlives-parent forks';
    const program = path.join(import.meta.dirname, 'testing', 'server-program.ts');
    const server = spawn(process.execPath, [program, behaviour], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: bench.home },
    });
    const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const pid = Number(line);
    expect(isAlive(-pid)).toBe(true);
    const sockets = (): string[] => readdirSync(bench.home).filter((name) => name.startsWith('armature-'));
    expect(sockets()).toHaveLength(1);
    server.kill('SIGKILL');
    await ended(-pid, 10_000);
    const [folder = ''] = sockets();
    if (folder !== '') await gone(path.join(bench.home, folder));
  });

  it('that has restarted a module often has no more descriptors and folders than before', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', '')]);
    await bench.until('test', ({ state }) => state.kind === 'ready');
    await bench.manager.restart('test');
    const before = openDescriptors();
    for (let round = 0; round < 5; round++) await bench.manager.restart('test');
    expect(openDescriptors()).toBeLessThanOrEqual(before);
    const socket = bench.trusted.length; // one connection per start
    expect(socket).toBe(7);
    expect(bench.trusted.filter(({ connection }) => !connection.isClosed)).toHaveLength(1);
  });

  it('gives up a module that does not let go of its resources, in time', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', '')]);
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    const release = bench.manager.running[0]?.hold();
    bench.manager.apply([]);
    expect(bench.manager.running).toEqual([]);
    expect(isAlive(pid)).toBe(true); // it may still be asked to remove its resources
    await ended(-pid, 5_000);
    release?.();
  });

  it('waits for what a module serves to be let go, no longer', async () => {
    bench = moduleBench({ timing: { ...quick, releaseMs: 600_000 } });
    bench.manager.apply([bench.config('test', '')]);
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    const [one, other] = [bench.manager.running[0]?.hold(), bench.manager.running[0]?.hold()];
    bench.manager.apply([]);
    one?.();
    one?.();
    expect(isAlive(pid)).toBe(true);
    other?.();
    await ended(-pid, 5_000);
  });

  it('leaves no folders behind', async () => {
    bench = moduleBench();
    bench.manager.apply([bench.config('test', 'tells')]);
    await bench.until('test', ({ state }) => state.kind === 'ready');
    const entry = await bench.logged(({ message }) => message === 'started with');
    const [socket = ''] = entry.fields['args'] as string[];
    const folder = path.dirname(socket);
    expect(readdirSync(folder).sort()).toEqual(['module.sock', 'parent.sock']);
    await bench.manager.close();
    expect(existsSync(path.dirname(folder))).toBe(false);
  });
});
