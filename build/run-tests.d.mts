/**
 * Runs a program of a package, ends it with this process, and resolves with its exit code.
 * @param program file below `node_modules`
 * @param environment added to that of this process
 */
export function runPackageProgram(
  program: string,
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<number>;

/**
 * Runs integration tests, ends them with this process, and resolves with their exit code.
 * @param tests arguments of vitest
 * @param environment added to that of this process
 */
export function runIntegrationTests(
  tests: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number>;
