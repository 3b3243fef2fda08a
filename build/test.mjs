/**
 * `npm test`: every tier of the quick suite in order, with one closing line that adds them up. A failing tier does not
 * stop those after it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const reports = mkdtempSync(path.join(os.tmpdir(), 'armature-test-'));
const total = { passed: 0, failed: 0, skipped: 0 };

/** Far longer than any of them takes: a step that still runs then would hang forever. */
const STEP_LIMIT_MS = 40 * 60_000;
const isWindows = process.platform === 'win32';

/** @returns the exit code, or null where a signal ended it */
async function run(command, args) {
  // Its own process group: a worker that hangs outlives the program that started it.
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', shell: isWindows, detached: !isWindows });
  const end = () => {
    try {
      if (isWindows) child.kill('SIGKILL');
      else process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  };
  const interrupted = () => {
    end();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupted);
  const limit = setTimeout(() => {
    const minutes = STEP_LIMIT_MS / 60_000;
    process.stdout.write(
      `did not end in ${minutes} minutes and was stopped: look for the file that is missing above\n`,
    );
    end();
  }, STEP_LIMIT_MS);
  const [status] = await once(child, 'exit');
  clearTimeout(limit);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, interrupted);
  return status;
}

async function step(name, command, args, count) {
  process.stdout.write(`\n== ${name}\n`);
  const startedAt = Date.now();
  const status = await run(command, args);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  let counts;
  try {
    counts = count?.() ?? { passed: status === 0 ? 1 : 0, failed: 0, skipped: 0 };
  } catch {
    counts = { passed: 0, failed: 0, skipped: 0 }; // no report was written: the exit code below says why
  }
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
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
  return step(
    `${project} tests`,
    bin('vitest'),
    ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    () => vitestCounts(file),
  );
};

// One processor each: they print nothing unless they find something.
await Promise.all([
  step('lint', bin('eslint'), ['.', '--max-warnings', '0']),
  step('types', 'npm', ['run', '--silent', 'typecheck']).then(() => step('format', bin('prettier'), ['--check', '.'])),
]);
await vitest('unit');
await vitest('integration');
const e2e = path.join(reports, 'e2e.json');
process.env.PLAYWRIGHT_JSON_OUTPUT_NAME = e2e;
await step(
  'window tests (smoke)',
  bin('playwright'),
  ['test', '-c', 'e2e/playwright.config.ts', '--grep', '@smoke', '--workers', '2', '--reporter=list,json'],
  () => playwrightCounts(e2e),
);
rmSync(reports, { recursive: true, force: true });

process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exit(total.failed === 0 ? 0 : 1);
