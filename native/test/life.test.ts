import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { missingReason } from '../index.js';

interface Count {
  readonly files: number;
  readonly threads: number;
  readonly memory: number;
}

/** For a run under a sanitizer on a busy computer. */
const LONGEST_MS = 180_000;

function run(program: string, ...args: string[]) {
  const file = path.join(import.meta.dirname, program);
  return spawnSync(process.execPath, ['--expose-gc', file, ...args], { encoding: 'utf8', timeout: LONGEST_MS - 5_000 });
}

describe.skipIf(missingReason() !== undefined)('the life of handles', { timeout: LONGEST_MS }, () => {
  test('nothing is left of what was closed, or of a worker that was ended', () => {
    const handleRounds = 1000;
    const { stdout, stderr, status } = run('life.mjs', '5', String(handleRounds));
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const { before, after } = JSON.parse(stdout) as Record<'before' | 'after', Count>;
    expect(after.files).toBeLessThanOrEqual(before.files);
    expect(after.threads).toBeLessThanOrEqual(before.threads);
    // 1.5 KB for six handles: less than the smallest of them needs.
    expect(after.memory - before.memory).toBeLessThan(1_500 * handleRounds);
  });

  test.each([
    ['exit', 7],
    ['throw', 1],
    ['reject', 1],
    ['worker-exit', 7],
  ])('a program that ends by %s with everything open ends as any other does', (how, code) => {
    const { status, signal } = run('busy.mjs', how);
    expect({ status, signal }).toEqual({ status: code, signal: null });
  });
});
