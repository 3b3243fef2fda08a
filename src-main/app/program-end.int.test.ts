import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** Signals of the first half second count as the first one. */
const BETWEEN_SIGNALS_MS = 600;

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'armature-end-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

it('a second signal ends a program whose stop hangs, threads in the kernel included, and exit code 4 says so', async () => {
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const fixture = path.join(import.meta.dirname, 'testing/program-end.ts');
  const child = spawn(process.execPath, [fixture, pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  child.kill('SIGTERM');
  expect((await lines.next()).value).toBe('stopping');
  const again = setInterval(() => child.kill('SIGTERM'), BETWEEN_SIGNALS_MS);
  expect(await exited).toEqual([4, null]);
  clearInterval(again);
});
