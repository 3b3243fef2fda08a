/**
 * `npm run test:postgres`: starts a PostgreSQL of its own (Debian's postgresql
 * 15) in a temporary folder, reachable over a Unix socket alone, runs every
 * test of the hub on it beside SQLite, and ends it by its process id.
 * Arguments go to vitest: `npm run test:postgres -- src-main/hub/fleet`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres, whyNoPostgres } from './postgres-server.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

async function run(address) {
  const given = process.argv.slice(2);
  const vitest = spawn(
    process.execPath,
    [
      path.join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'integration',
      ...(given.length > 0 ? given : ['src-main/hub', 'e2e/integration/hub']),
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ARMATURE_TEST_POSTGRES: address } },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => vitest.kill(signal));
  const [code] = await once(vitest, 'exit');
  return code ?? 1;
}

if (whyNoPostgres !== undefined) {
  process.stdout.write(`test:postgres: skipped, because ${whyNoPostgres}.\n`);
} else {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'armature-pg-'));
  try {
    const server = await startPostgres(folder);
    try {
      process.exitCode = await run(server.address);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
