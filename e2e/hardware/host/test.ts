/**
 * `npm run test:hardware`: runs every `*.hw.test.ts` below `e2e/hardware` inside the virtual bench; `npm run
 * test:hardware -- WORD...` only those whose path contains one of the words. Where the bench is not available, a
 * sentence says why and the tests are skipped: exit code 0.
 */
import { globSync } from 'node:fs';
import path from 'node:path';
import { need } from './packages.ts';
import { aborting, note, report } from './terminal.ts';
import { runInBench } from './virtual-computer.ts';

const repository = path.join(import.meta.dirname, '../../..');
/** For all tests together. They take 5 to 20 minutes, depending on the computer; each wait has its own limit. */
const LIMIT_MS = 45 * 60_000;

const words = process.argv.slice(2);
const files = globSync('e2e/hardware/**/*.hw.test.ts', { cwd: repository })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();

if (files.length === 0) {
  note(`no hardware test's path has ${words.join(' or ')}`);
  process.exitCode = 2;
} else {
  await report(async () => {
    // Cameras are read with it.
    await need(['ffmpeg'], note);
    const own = Object.entries(process.env).filter(([name]) => name.startsWith('ARMATURE_'));
    const environment = {
      ...(Object.fromEntries(own) as Record<string, string>),
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      NODE_DISABLE_COLORS: '1',
      // Each file runs in its own process, which a fault of the addon may crash; shared code is compiled once.
      NODE_COMPILE_CACHE: '/run/tmp/compiled',
    };
    // node:test and not vitest: it starts in a second here, and needs no emulated bundler.
    const command = [process.execPath, '--test', '--test-reporter=spec', '--test-concurrency=1', ...files];
    const onOutput = (chunk: Buffer): void => void process.stdout.write(chunk);
    // These tests check milliseconds, which must hold however busy the host computer is.
    const clock = 'instructions' as const;
    const job = {
      command,
      clock,
      folder: repository,
      environment,
      limitMs: LIMIT_MS,
      onOutput,
      note,
      abort: aborting(),
    };
    return runInBench(job);
  }, 0);
}
