import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { missingReason } from '../index.js';

test.skipIf(missingReason() !== undefined)('nothing is left of what was closed, or of a worker that was ended', () => {
  const program = path.join(import.meta.dirname, 'life.mjs');
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, '10'], {
    encoding: 'utf8',
    timeout: 25_000,
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const { before, after } = JSON.parse(stdout) as Record<'before' | 'after', { files: number; threads: number }>;
  expect(after.files).toBeLessThanOrEqual(before.files);
  expect(after.threads).toBeLessThanOrEqual(before.threads);
});
