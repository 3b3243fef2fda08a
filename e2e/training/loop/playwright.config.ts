import { spawnSync } from 'node:child_process';
import { defineConfig } from '@playwright/test';
import { chromiumArguments, chromiumPath } from '../../harness/chromium.ts';

const lacks: string[] = [];
if (chromiumPath === undefined) lacks.push('no Chromium was found (install it or set ARMATURE_BROWSER)');
if (spawnSync('/usr/bin/python3', ['-c', 'import torch, numpy, PIL']).status !== 0) {
  lacks.push('/usr/bin/python3 has no PyTorch, NumPy and Pillow');
}
if (lacks.length > 0) process.stderr.write(`training by the window: skipped, because ${lacks.join(' and ')}\n`);

/** The whole loop in the window: `local` trains on this computer, `slurm` on a cluster that the test starts. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../../test-results/training',
  testIgnore: lacks.length > 0 ? ['**'] : [],
  workers: 1,
  timeout: 40 * 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env['CI'] !== undefined,
  reporter: 'list',
  projects: [
    { name: 'local', testMatch: 'local.spec.ts' },
    { name: 'slurm', testMatch: 'slurm.spec.ts' },
  ],
  use: {
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: { executablePath: chromiumPath ?? '', args: chromiumArguments },
  },
});
