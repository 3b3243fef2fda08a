/**
 * `npm run test:postgres`: starts a separate PostgreSQL server (Debian's postgresql 15) in a temporary folder,
 * reachable only over a Unix socket, runs every test of the hub on it as well as on SQLite, and ends it by its process
 * id. Arguments go to vitest: `npm run test:postgres -- src-main/hub/fleet`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startPostgres, whyNoPostgres } from './postgres-server.mjs';
import { runIntegrationTests } from './run-tests.mjs';

const given = process.argv.slice(2);
const tests = given.length > 0 ? given : ['src-main/hub', 'e2e/integration/hub'];

if (whyNoPostgres !== undefined) {
  process.stdout.write(`test:postgres: skipped, because ${whyNoPostgres}.\n`);
} else {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'armature-pg-'));
  try {
    const server = await startPostgres(folder);
    try {
      process.exitCode = await runIntegrationTests(tests, { ARMATURE_TEST_POSTGRES: server.address });
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
