/** `npm run test:s3`: tests what the hub stores in an S3-compatible store on a real one. Arguments go to vitest. */
import { runIntegrationTests } from './run-tests.mjs';
import { s3Program } from './s3-program.mjs';

const program = s3Program();
if (program === undefined) {
  process.stdout.write('test:s3: skipped, because neither versitygw nor moto can be had here.\n');
} else {
  const given = process.argv.slice(2);
  const tests = given.length > 0 ? given : ['src-main/hub/blobs', 'e2e/integration/hub-files'];
  process.exitCode = await runIntegrationTests(tests, { ARMATURE_TEST_S3_PROGRAM: program });
}
