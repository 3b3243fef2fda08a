/** `npm run test:s3`: what the hub keeps in an S3-compatible store, on a real one. Arguments go to vitest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { s3Program } from './s3-program.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const program = s3Program();
if (program === undefined) {
  process.stdout.write('test:s3: skipped, because neither versitygw nor moto can be had here.\n');
} else {
  const given = process.argv.slice(2);
  const tests = given.length > 0 ? given : ['src-main/hub/blobs', 'e2e/integration/hub-files'];
  const vitest = spawn(
    process.execPath,
    [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'integration', ...tests],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ARMATURE_TEST_S3_PROGRAM: program } },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => vitest.kill(signal));
  const [code] = await once(vitest, 'exit');
  process.exitCode = code ?? 1;
}
