import { defineConfig } from '@playwright/test';
import { chromiumArguments, chromiumPath } from './harness/chromium.ts';

if (chromiumPath === undefined) {
  process.stderr.write('window tests: no Chromium found, skipped. Install chromium or set ARMATURE_BROWSER.\n');
}

export default defineConfig({
  testDir: 'tests',
  outputDir: '../test-results',
  // Without a browser there is nothing to drive: no test is collected, and the line above says so.
  testIgnore: chromiumPath === undefined ? ['**'] : [],
  workers: 1,
  // Only what hangs is to end here: axe alone takes half a minute of a screen in both themes on two busy cores.
  timeout: 120_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env['CI'] !== undefined,
  reporter: 'list',
  use: {
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: chromiumPath ?? '',
      args: chromiumArguments,
    },
  },
});
