import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const root = path.dirname(path.dirname(import.meta.dirname));

/** The tests of vitest and those of the window that belong together. */
export interface Suites {
  /** Of `vitest.config.ts`. */
  readonly vitest: string;
  /** Of `e2e/training/loop/playwright.config.ts`. */
  readonly playwright: string;
}

/**
 * Runs both, also where the first fails, and sets the exit code of this process.
 * @param args for vitest; with any of them it runs alone
 */
export async function runSuites({ vitest, playwright }: Suites, args: readonly string[]): Promise<void> {
  const byVitest = ['vitest/vitest.mjs', 'run', '--project', vitest, ...args];
  const config = path.join(root, 'e2e/training/loop/playwright.config.ts');
  const byPlaywright = [
    '@playwright/test/cli.js',
    'test',
    '-c',
    config,
    '--project',
    playwright,
    '--pass-with-no-tests',
  ];
  let status = 0;
  for (const [program = '', ...rest] of args.length > 0 ? [byVitest] : [byVitest, byPlaywright]) {
    status = Math.max(status, await run([path.join(root, 'node_modules', program), ...rest]));
  }
  process.exitCode = status;
}

async function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  const end = (signal: NodeJS.Signals): void => void child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, end);
  const [status] = (await once(child, 'exit')) as [number | null];
  for (const signal of signals) process.off(signal, end);
  return status ?? 1;
}
