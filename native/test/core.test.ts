/** The C++ tests of the code that does not depend on Node; `sanitize.mjs` runs them under the sanitizers too. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { guardianPath, missingReason } from '../index.js';

test.skipIf(missingReason() !== undefined).each(['pulse', 'engine', 'stress'])('%s', (name) => {
  const program = path.join(path.dirname(guardianPath()), `armature-test-${name}`);
  const { stdout, stderr, status } = spawnSync(program, { encoding: 'utf8', timeout: 60_000 });
  expect(`${stdout}${stderr}`).toBe('');
  expect(status).toBe(0);
});
