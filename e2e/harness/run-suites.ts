import path from 'node:path';
import { runPackageProgram } from '../../build/run-tests.mjs';

const config = path.join(path.dirname(import.meta.dirname), 'training/loop/playwright.config.ts');

/** The names of a vitest and a Playwright suite that belong together. */
export interface Suites {
  /** Project in `vitest.config.ts`. */
  readonly vitest: string;
  /** Project in `e2e/training/loop/playwright.config.ts`. */
  readonly playwright: string;
}

/**
 * Runs both, the second even if the first fails, and sets the exit code of this process.
 * @param args options of vitest; if there are any, only vitest runs
 */
export async function runSuites({ vitest, playwright }: Suites, args: readonly string[]): Promise<void> {
  let code = await runPackageProgram('vitest/vitest.mjs', ['run', '--project', vitest, ...args]);
  if (args.length === 0) {
    const windowArgs = ['test', '-c', config, '--project', playwright, '--pass-with-no-tests'];
    code = Math.max(code, await runPackageProgram('@playwright/test/cli.js', windowArgs));
  }
  process.exitCode = code;
}
