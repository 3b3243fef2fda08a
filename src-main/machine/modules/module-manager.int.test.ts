import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { moduleBench, type ModuleBench } from './testing/module-bench.ts';
import type { ModuleTiming } from './run/module-timing.ts';

let bench: ModuleBench;

afterEach(async () => {
  await bench.close();
});

/** Whether no process of the group is left. */
function isGone(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return false;
  } catch {
    return true;
  }
}

const quick: Partial<ModuleTiming> = { readyPauseMs: 20, groupTermMs: 300, killMs: 800 };

describe('a module', () => {
  it('starts, says what it offers, and ends with nothing left', async () => {
    bench = moduleBench();
    const { manager } = bench;
    manager.apply([bench.config('test', '')]);
    expect(manager.absenceOf('acme:test')).toMatchObject({ name: 'test', kind: 'starting' });
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    expect(manager.absenceOf('acme:test')).toBeUndefined();
    expect(manager.running).toHaveLength(1);
    expect(manager.running[0]).toMatchObject({
      name: 'test',
      moduleId: 'acme:test',
      isFromRegistry: false,
      models: [
        { api: 'core:component:sensor', model: 'acme:test:sensor', service: 'core.component.sensor.v1.SensorService' },
      ],
    });
    expect(bench.trusted.map(({ module }) => module)).toEqual(['test']);
    await manager.close();
    expect(isGone(pid)).toBe(true);
    expect(manager.running).toEqual([]);
    expect(manager.statuses()).toEqual([]);
  });

  it('that is removed is told as removed, after everything else', async () => {
    bench = moduleBench({ timing: quick });
    const { manager } = bench;
    manager.apply([bench.config('test', '')]);
    await bench.until('test', ({ state }) => state.kind === 'ready');
    const shown = new Set(['test']);
    const told = new Promise<void>((resolve) => {
      manager.subscribe(({ upserted, removed }) => {
        for (const { name } of upserted) shown.add(name);
        for (const name of removed) shown.delete(name);
        if (shown.size === 0) resolve();
      });
    });
    manager.apply([]);
    await told;
    expect(manager.statuses()).toEqual([]);
  });

  it('without an id that runs says nothing of another one without: that is still missed', async () => {
    bench = moduleBench();
    const { manager } = bench;
    const more = { moduleId: '' };
    manager.apply([bench.config('good', '', more), bench.config('bad', 'crashes', more)]);
    await bench.until('good', ({ state }) => state.kind === 'ready');
    await bench.until('bad', ({ state }) => state.kind === 'failed');
    expect(manager.absenceOf('')).toMatchObject({ name: 'bad' });
  });

  it('that is killed leaves the directory with the reason, and comes back as another object', async () => {
    bench = moduleBench();
    const { manager } = bench;
    manager.apply([bench.config('test', '')]);
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    const [before] = manager.running;
    const reasons: string[] = [];
    manager.onChange(() => {
      const absence = manager.absenceOf('acme:test');
      if (absence?.kind === 'failed') reasons.push(absence.reason);
    });
    process.kill(pid, 'SIGKILL');
    const again = await bench.until('test', (status) => status.state.kind === 'ready' && status.pid !== pid);
    expect(reasons.at(-1)).toMatch(/^module test ended: killed by SIGKILL after [\d.]+ s/);
    expect(again).toMatchObject({ restarts: 1, lastExit: expect.stringMatching(/^killed by SIGKILL/) as string });
    expect(before?.peer.isClosed).toBe(true);
    expect(manager.running[0]).not.toBe(before);
  });
});

describe('a start', () => {
  it('that crashes is tried again with growing delay, and says why', async () => {
    bench = moduleBench();
    bench.manager.apply([bench.config('test', 'crashes')]);
    const { state } = await bench.until(
      'test',
      (status) => status.state.kind === 'failed' && status.state.attempts === 2,
    );
    expect(state).toMatchObject({
      reason: expect.stringMatching(/^ended: exit code 1 after [\d.]+ s/) as string,
    });
    expect(bench.manager.absenceOf('acme:test')).toMatchObject({ kind: 'failed' });
    const logged = bench.logs.history.after(0).filter(({ level }) => level === 'error');
    expect(logged.map(({ message }) => message).join('\n')).toContain('no such port: /dev/ttyUSB9');
  });

  it('that never gets ready is over with its one budget', async () => {
    bench = moduleBench({ timing: { ...quick, startupMs: 1_500 } });
    bench.manager.apply([bench.config('test', 'never-ready')]);
    const { state } = await bench.until('test', (status) => status.state.kind === 'failed' && status.pid === 0);
    expect(state).toMatchObject({
      reason: 'did not become ready: it was not ready within 1.5 s: it answered Ready with "not yet"',
      attempts: 1,
    });
  });

  it('is asked again until it says yes', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', 'ready-at-third')]);
    await bench.until('test', ({ state }) => state.kind === 'ready');
  });
});

describe('a restart', () => {
  it('takes another process, and settles when that is ready', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', '')]);
    const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
    await bench.manager.restart('acme:test');
    const [status] = bench.manager.statuses();
    expect(status?.state.kind).toBe('ready');
    expect(status?.pid).not.toBe(pid);
    expect(status?.restarts).toBe(0);
    expect(isGone(pid)).toBe(true);
  });

  it('of a module that waits to be tried again starts it at once', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', 'crashes')]);
    await bench.until('test', (status) => status.state.kind === 'failed' && status.state.nextRetryAt !== undefined);
    await expect(bench.manager.restart('test')).rejects.toMatchObject({ code: 'module.failed' });
    const [status] = bench.manager.statuses();
    expect(status?.state).toMatchObject({ kind: 'failed', attempts: 1 });
  });

  it('of a module that is not configured says which are', async () => {
    bench = moduleBench();
    bench.manager.apply([bench.config('test', 'never-ready')]);
    await expect(bench.manager.restart('tset')).rejects.toMatchObject({
      code: 'module.not_found',
      message: 'No module "tset" is configured here; there is test. Check "modules" in the configuration.',
    });
  });
});

describe('what a module uses', () => {
  it('is measured while somebody watches: memory, and the cores of all its processes', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', 'busy')]);
    const { usage } = await bench.until('test', (status) => (status.usage?.cpu ?? 0) > 0.1);
    expect(usage?.cpu).toBeLessThan(4);
    expect(usage?.memoryBytes).toBeGreaterThan(20_000_000);
    expect(usage?.memoryBytes).toBeLessThan(1_000_000_000);
  });
});

describe('what a module writes', () => {
  it('comes to the log with its level, under its name, traces in one piece', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', 'writes')]);
    const trace = await bench.logged(({ message }) => message.startsWith('Traceback'));
    expect(trace).toMatchObject({ level: 'error', logger: 'core.modmanager.test.StdErr' });
    expect(trace.message.split('\n').at(-1)).toBe("KeyError: 'pin'");
    const warning = await bench.logged(({ message }) => message.includes('nearly empty'));
    expect(warning).toMatchObject({ level: 'warn', logger: 'core.modmanager.test.StdOut' });
    expect(bench.logs.history.after(0).some(({ message }) => message.includes('too much detail'))).toBe(false);
  });

  it('hides the secrets that it was given', async () => {
    bench = moduleBench({ timing: quick });
    bench.manager.apply([bench.config('test', 'leaks crashes', { env: { CAMERA_TOKEN: 'abcdef-123456' } })]);
    await bench.until('test', ({ state }) => state.kind === 'failed' && state.nextRetryAt !== undefined);
    const entries = bench.logs.history.after(0);
    expect(entries.some(({ message }) => message.includes('my token is ***'))).toBe(true);
    expect(JSON.stringify(entries)).not.toContain('abcdef-123456');
  });

  it('RobotService/Log and standard output alike are filtered by its level at once', async () => {
    bench = moduleBench({ timing: quick });
    const config = bench.config('test', '', { logLevel: 'warn' });
    bench.logs.apply({
      patterns: [],
      resources: new Map(),
      modules: new Map([['test', 'warn']]),
      jobs: new Map(),
      isDebug: false,
      isDeduplicationOff: false,
    });
    bench.manager.apply([config]);
    await bench.until('test', ({ state }) => state.kind === 'ready');
    expect(bench.logs.history.after(0).filter(({ level }) => level === 'info')).toEqual([]);
  });

  it('a million lines cost the server less than 20 MB, and each that is left out is counted', async () => {
    bench = moduleBench();
    const program = path.join(import.meta.dirname, 'testing', 'flood-program.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    const { kept, leftOut, grownBytes } = JSON.parse(stdout) as Record<'kept' | 'leftOut' | 'grownBytes', number>;
    expect(kept).toBeGreaterThanOrEqual(2_000);
    expect(kept + leftOut).toBe(1_000_000);
    expect(grownBytes).toBeLessThan(20_000_000);
  });
});
