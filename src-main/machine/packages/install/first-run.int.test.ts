import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { firstRun, type FirstRunOptions } from './first-run.ts';
import { PackageBench } from '../testing/package-bench.ts';
import { moduleEntries, type TestEntry } from '../testing/test-archive.ts';

const id = 'acme:motors';
let bench: PackageBench;
let root: string;
beforeEach(async () => {
  bench = await PackageBench.open();
  root = await mkdtemp(path.join(tmpdir(), 'first-run-'));
});
afterEach(async () => {
  await bench.close();
  await rm(root, { recursive: true });
});

async function run(script: string, options: Partial<FirstRunOptions> = {}): Promise<void> {
  const program = path.join(root, 'setup.sh');
  await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await firstRun({
    program,
    root,
    environment: { PATH: process.env['PATH'] ?? '', GREETING: 'hello' },
    timeoutMs: 20_000,
    clock: systemClock,
    signal: new AbortController().signal,
    logger: bench.logger('setup'),
    ...options,
  });
}

/** A killed process that its parent has not waited for does not count as running. */
async function isAlive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return state !== '' && !/\) [ZX] /.test(state);
}

/** Settles when a file has content. */
async function textOf(file: string): Promise<string> {
  for (;;) {
    const text = await readFile(path.join(root, file), 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a first run', () => {
  it('works in the folder of its package, with the environment it is given and no other', async () => {
    process.env['ARMATURE_SECRET'] = 'secret';
    await run('pwd; echo $GREETING; echo "$ARMATURE_SECRET."; echo careful >&2');
    delete process.env['ARMATURE_SECRET'];
    expect(bench.log.filter((line) => line.startsWith('info'))).toEqual([
      `info setup: ${root}`,
      'info setup: hello',
      'info setup: .',
    ]);
    expect(bench.log).toContain('warn setup: careful');
  });

  it('may print any amount, in lines of any length', async () => {
    await run('head -c 3000000 /dev/zero | tr "\\0" x; echo; seq 1 20000; printf "no end"');
    expect(bench.log[0]?.length).toBeLessThan(70_000);
    expect(bench.log[0]).toMatch(/x… \(cut: the line is longer than 64 KiB\)$/);
    expect(bench.log).toHaveLength(20_002);
    expect(bench.log.at(-1)).toBe('info setup: no end');
  });

  it.each([
    ['exit code', 'echo one; echo two >&2; exit 3', /its first run failed: exit code 3: .*two/],
    ['signal', 'kill -SEGV $$', /its first run failed: ended by SIGSEGV/],
  ])('that ends with an %s fails, with its last lines', async (_what, script, why) => {
    await expect(run(script)).rejects.toMatchObject({
      code: 'module.first_run',
      message: expect.stringMatching(why) as string,
    });
  });

  it('that cannot be started fails', async () => {
    await writeFile(path.join(root, 'no-program'), 'text', { mode: 0o755 });
    await expect(run('', { program: path.join(root, 'missing') })).rejects.toThrow(/its first run failed: .*ENOENT/);
  });

  it('is ended with all it started when its time is over', async () => {
    const script = `trap '' TERM; sh -c "trap '' TERM; echo \\$\\$ > pid; while true; do sleep 1; done" & wait; wait`;
    await expect(run(script, { timeoutMs: 300 })).rejects.toThrow('it did not end within 300ms (first_run_timeout)');
    expect(await isAlive(Number(await textOf('pid')))).toBe(false);
  });

  it('that leaves something running takes it with it, and is waited for no longer', async () => {
    await run('sh -c "echo \\$\\$ > pid; exec sleep 1000" & while [ ! -s pid ]; do :; done; echo done');
    expect(bench.log).toContain('info setup: done');
    expect(await isAlive(Number(await textOf('pid')))).toBe(false);
  });

  it('is ended when nobody wants it any more', async () => {
    const controller = new AbortController();
    const running = run('echo $$ > pid; sleep 1000', { signal: controller.signal });
    const pid = Number(await textOf('pid'));
    controller.abort(new Error('not wanted'));
    await expect(running).rejects.toThrow('not wanted');
    expect(await isAlive(pid)).toBe(false);
  });
});

describe('the first run of a package', () => {
  const entries = (script: string, text = 'hello'): TestEntry[] => [
    ...moduleEntries(id, text, { first_run: 'setup.sh' }),
    { name: 'setup.sh', mode: 0o755, content: `#!/bin/sh\n${script}\n` },
  ];

  it('is done once for each version', async () => {
    const script = 'echo "$FROM_MACHINE" >> runs';
    await bench.registry.publish(id, '1.0.0', { entries: entries(script) });
    const first = bench.follow(bench.machine());
    await first.offered('1.0.0');
    expect(first.progress.map((one) => one?.step)).toContain('first-run');
    const motors = bench.follow(await bench.restart());
    await motors.offered('1.0.0');
    expect(await readFile(path.join(motors.last.root, 'runs'), 'utf8')).toBe('yes\n');
    await bench.registry.publish(id, '1.0.1', { entries: entries(script) });
    await motors.offered('1.0.1');
    expect(await readFile(path.join(motors.last.root, 'runs'), 'utf8')).toBe('yes\n');
  });

  it('that fails refuses the version, says so, and is tried again without a download', async () => {
    await bench.registry.publish(id, '1.0.0');
    const motors = bench.follow(bench.machine());
    await motors.offered('1.0.0');
    const script =
      'echo ran >> ../../../../runs; [ $(wc -l < ../../../../runs) -gt 1 ] || { echo "no pip" >&2; exit 1; }';
    await bench.registry.publish(id, '1.0.1', { entries: entries(script) });
    expect(await motors.refused('1.0.1')).toBe('its first run failed: exit code 1: no pip');
    expect(motors.versions).toEqual(['1.0.0']);
    await bench.passing(motors.offered('1.0.1'));
    expect(bench.registry.downloads).toHaveLength(2);
    expect((await stat(motors.last.root)).isDirectory()).toBe(true);
  });

  it('that hangs is ended by its own limit', async () => {
    await bench.registry.publish(id, '1.0.0', { entries: entries('sleep 1000') });
    const motors = bench.follow(bench.machine(), { raw: { first_run_timeout: '90s' } });
    await motors.until(() => motors.progress.some((one) => one?.step === 'first-run'));
    await bench.passing(motors.refused('1.0.0'), 5_000);
    expect(motors.missing[0]).toContain('it did not end within 1m30s (first_run_timeout)');
  });

  it('does not hold up another version of the module', async () => {
    await bench.registry.publish(id, '1.0.0', { entries: entries('sleep 1000') });
    await bench.registry.publish(id, '2.0.0');
    const machine = bench.machine();
    const old = bench.follow(machine, { name: 'old', version: '1.*' });
    await old.until(() => old.progress.some((one) => one?.step === 'first-run'));
    await bench.follow(machine, { name: 'new', version: '2.*' }).offered('2.0.0');
  });

  it('that was in the middle when the machine ended is done again', async () => {
    await bench.registry.publish(id, '1.0.0', { entries: entries('echo begun >> runs; [ -e go ] || sleep 1000') });
    const first = bench.follow(bench.machine());
    await first.until(() => first.progress.some((one) => one?.step === 'first-run'));
    const folder = path.join(bench.folder, 'modules/acme/motors/1.0.0_linux-any');
    await writeFile(path.join(folder, 'go'), '');
    const motors = bench.follow(await bench.restart());
    await motors.offered('1.0.0');
    expect(await readFile(path.join(folder, 'runs'), 'utf8')).toContain('begun\n');
  });
});
