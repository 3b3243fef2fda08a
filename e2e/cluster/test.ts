/**
 * `npm run test:cluster`: two hubs that serve one PostgreSQL database and one bucket, both of their own, behind one
 * address: the tests of a fleet, and what only several hubs do. Arguments go to vitest.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startPostgres, whyNoPostgres } from '../../build/postgres-server.mjs';
import { runIntegrationTests } from '../../build/run-tests.mjs';
import { s3Program } from '../../build/s3-program.mjs';

/** Tests of a fleet that look at no file of the hub. */
const fleetTests = [
  ...['authors', 'away', 'channel', 'cluster', 'follow', 'logs', 'machine', 'roles', 'signaling'],
  ...['storm', 'walk'],
].map((name) => `e2e/integration/hub-${name}.test.ts`);
const tests = [...fleetTests, 'e2e/integration/module-key.test.ts', 'e2e/interop/hub-app-client.test.ts'];

/** Settles with the exit code of the tests. */
async function run(): Promise<number> {
  const program = s3Program();
  const why = program === undefined ? 'neither versitygw nor moto can be had here' : whyNoPostgres;
  if (program === undefined || why !== undefined) {
    process.stdout.write(`test:cluster: skipped, because ${why}.\n`);
    return 0;
  }
  process.env['ARMATURE_TEST_S3_PROGRAM'] = program;
  const { S3Server } = await import('../../src-main/hub/blobs/testing/s3-server.ts');
  // One each: PostgreSQL runs as another user, who has to reach its own.
  const [database, files] = await Promise.all(
    ['postgres', 'files'].map((name) => mkdtemp(path.join(os.tmpdir(), `armature-${name}-`))),
  );
  if (database === undefined || files === undefined) throw new Error('no folders');
  const postgres = await startPostgres(database);
  const bucket = await S3Server.start(files);
  try {
    const given = process.argv.slice(2);
    return await runIntegrationTests(given.length > 0 ? given : tests, {
      ...bucket.environment,
      ARMATURE_TEST_CLUSTER_POSTGRES: postgres.address,
      ARMATURE_TEST_CLUSTER_FILES: bucket.address,
    });
  } finally {
    await bucket.kill();
    await postgres.stop();
    for (const folder of [database, files]) await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await run();
