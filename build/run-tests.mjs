import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Runs a program of a package, ends it with this process, and resolves with its exit code. */
export async function runPackageProgram(program, args, environment = {}) {
  const env = { ...process.env, ...environment };
  const file = path.join(root, 'node_modules', program);
  const child = spawn(process.execPath, [file, ...args], { cwd: root, stdio: 'inherit', env });
  const end = (signal) => void child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, end);
  const [code] = await once(child, 'exit');
  for (const signal of signals) process.off(signal, end);
  return code ?? 1;
}

/** Runs integration tests, ends them with this process, and resolves with their exit code. */
export function runIntegrationTests(tests, environment) {
  return runPackageProgram('vitest/vitest.mjs', ['run', '--project', 'integration', ...tests], environment);
}
