/** When the computer allows no more threads: an error, and no change of state. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { createInterface, type Interface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingReason } from '../index.js';

/** Acts as the child's user: only that user may change the child's limits, where root may not. */
const asChild = process.getuid?.() === 0 ? { uid: 65_534 } : {};
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const ofLimits = (pid: number | undefined, ...args: readonly string[]): string => {
  const { stdout, stderr } = spawnSync('prlimit', [...args, `--pid=${pid}`], { encoding: 'utf8', ...asChild });
  expect(stderr).toBe('');
  return stdout.trim();
};

/** Each answer takes a Node process some time on a slow computer, and much longer under a sanitizer. */
const LONGEST_MS = 180_000;

describe.skipIf(missingReason() !== undefined || !hasPrlimit)(
  'under a limit of processes',
  { timeout: LONGEST_MS },
  () => {
    let child: ChildProcess;
    let lines: Interface;
    const said: Record<string, unknown>[] = [];
    let wake = (): void => {};

    async function next(): Promise<Record<string, unknown>> {
      while (said.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return said.shift()!;
    }
    function ask(command: string): Promise<Record<string, unknown>> {
      child.stdin!.write(`${command}\n`);
      return next();
    }
    /** Allows no more threads: the limit is below the child's own number, whatever other processes its user has. */
    function allowNone(): void {
      ofLimits(child.pid, '--nproc=1:');
    }
    function allowAny(): void {
      ofLimits(child.pid, `--nproc=${ofLimits(child.pid, '--nproc', '--output=HARD', '--noheadings')}:`);
    }

    beforeEach(async () => {
      said.length = 0;
      const program = path.join(import.meta.dirname, 'few-threads.mjs');
      child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
      lines = createInterface({ input: child.stdout! });
      lines.on('line', (line) => {
        said.push(JSON.parse(line) as Record<string, unknown>);
        wake();
      });
      await next();
    });
    afterEach(() => {
      lines.close();
      child.kill('SIGKILL');
    });

    test('hardware, and a pulse, that find no thread do nothing, and can be opened later', async () => {
      allowNone();
      expect(await ask('open')).toMatchObject({
        code: 'hardware.busy',
        message: expect.stringMatching(/ulimit -u/) as unknown,
      });
      allowAny();
      expect(await ask('open')).toMatchObject({ code: '' });
      allowNone();
      expect(await ask('pulse')).toMatchObject({ code: 'hardware.busy', isDriven: false });
      allowAny();
      expect(await ask('pulse')).toMatchObject({ code: '', isDriven: true });
      expect(await ask('drive')).toMatchObject({ code: '' });
    });

    test('a watch and a converter that find none leave their line free, and can be opened later', async () => {
      expect(await ask('open')).toMatchObject({ code: '' });
      allowNone();
      expect(await ask('watch')).toMatchObject({ code: 'hardware.busy', isHeld: false });
      expect(await ask('sample')).toMatchObject({ code: 'hardware.busy' });
      allowAny();
      expect(await ask('watch')).toMatchObject({ code: '', isHeld: true });
      expect(await next()).toEqual({ edges: 1 });
      expect(await ask('sample')).toMatchObject({ code: '' });
      const exit = once(child, 'exit');
      child.stdin!.end();
      expect(await exit).toEqual([0, null]);
    });
  },
);
