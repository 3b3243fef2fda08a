import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Runs integration tests, ends them with this process, and settles with their exit code. */
export async function runIntegrationTests(tests, environment) {
  const args = [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'integration', ...tests];
  const env = { ...process.env, ...environment };
  const vitest = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => vitest.kill(signal));
  const [code] = await once(vitest, 'exit');
  return code ?? 1;
}
