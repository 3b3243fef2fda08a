import path from 'node:path';
import { runPackageProgram } from '../../build/run-tests.mjs';

const config = path.join(path.dirname(import.meta.dirname), 'training/loop/playwright.config.ts');

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
  let code = await runPackageProgram('vitest/vitest.mjs', ['run', '--project', vitest, ...args]);
  if (args.length === 0) {
    const windowArgs = ['test', '-c', config, '--project', playwright, '--pass-with-no-tests'];
    code = Math.max(code, await runPackageProgram('@playwright/test/cli.js', windowArgs));
  }
  process.exitCode = code;
}
