/**
 * `npm test`: every tier of the quick suite in order, with one closing line
 * that adds them up. A tier that fails does not hide those after it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const reports = mkdtempSync(path.join(os.tmpdir(), 'armature-test-'));
const total = { passed: 0, failed: 0, skipped: 0 };

function step(name, command, args, count) {
  process.stdout.write(`\n== ${name}\n`);
  const startedAt = Date.now();
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  let counts;
  try {
    counts = count?.() ?? { passed: result.status === 0 ? 1 : 0, failed: 0, skipped: 0 };
  } catch {
    counts = { passed: 0, failed: 0, skipped: 0 }; // no report was written: the exit code below says why
  }
  if (result.status !== 0 && counts.failed === 0) counts.failed = 1;
  for (const key of Object.keys(total)) total[key] += counts[key];
  process.stdout.write(
    `-- ${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped, ${seconds} s\n`,
  );
}

function vitestCounts(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests };
}

function playwrightCounts(file) {
  const { stats } = JSON.parse(readFileSync(file, 'utf8'));
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped };
}

const bin = (name) => path.join(root, 'node_modules', '.bin', name);
const vitest = (project) => {
  const file = path.join(reports, `${project}.json`);
  step(
    `${project} tests`,
    bin('vitest'),
    ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    () => vitestCounts(file),
  );
};

step('types', 'npm', ['run', '--silent', 'typecheck']);
step('lint', 'npm', ['run', '--silent', 'lint']);
vitest('unit');
vitest('integration');
const e2e = path.join(reports, 'e2e.json');
process.env.PLAYWRIGHT_JSON_OUTPUT_NAME = e2e;
step(
  'window tests (smoke)',
  bin('playwright'),
  ['test', '-c', 'e2e/playwright.config.ts', '--grep', '@smoke', '--reporter=list,json'],
  () => playwrightCounts(e2e),
);
rmSync(reports, { recursive: true, force: true });

process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exit(total.failed === 0 ? 0 : 1);
