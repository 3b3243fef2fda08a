/**
 * Runs integration tests, ends them with this process, and settles with their exit code.
 * @param tests arguments of vitest
 * @param environment added to that of this process
 */
export function runIntegrationTests(
  tests: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number>;
