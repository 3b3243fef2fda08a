import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const browser = [
  process.env['ARMATURE_BROWSER'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file !== undefined && existsSync(file));
if (browser === undefined) {
  process.stderr.write('window tests: no Chromium found, skipped. Install chromium or set ARMATURE_BROWSER.\n');
}

export default defineConfig({
  testDir: 'tests',
  outputDir: '../test-results',
  // Without a browser there is nothing to drive: no test is collected, and the line above says so.
  testIgnore: browser === undefined ? ['**'] : [],
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env['CI'] !== undefined,
  reporter: 'list',
  use: {
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: browser ?? '',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
});
