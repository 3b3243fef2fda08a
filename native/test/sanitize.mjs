/**
 * Builds with the sanitizers and runs what has threads and memory of its own: the C++ stress program under both, the
 * addon in Node under AddressSanitizer. Ends with 1 where one of them complains.
 *
 *   node native/test/sanitize.mjs [address|thread]
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';

const native = path.dirname(import.meta.dirname);
let isClean = true;

function run(what, command, args, env = {}) {
  process.stdout.write(`sanitize: ${what}\n`);
  const options = { encoding: 'utf8', env: { ...process.env, ...env }, timeout: 900_000, maxBuffer: 2 ** 26 };
  const result = spawnSync(command, args, options);
  return { isOk: result.status === 0, text: `${result.stdout}${result.stderr}` };
}

function check(what, result, isOk = result.isOk) {
  if (isOk) return;
  isClean = false;
  process.stdout.write(`${result.text}\nsanitize: ${what} failed\n`);
}

function build(kind) {
  const folder = path.join(native, 'build', kind);
  check('cmake', run(`configuring ${kind}`, 'cmake', ['-S', native, '-B', folder, `-DSANITIZER=${kind}`]));
  check('build', run(`building ${kind}`, 'cmake', ['--build', folder, '-j1']));
  return path.join(folder, 'Release');
}

function libraryOf(name) {
  return spawnSync('c++', [`-print-file-name=${name}`], { encoding: 'utf8' }).stdout.trim();
}

const only = process.argv[2];
for (const kind of ['thread', 'address'].filter((one) => only === undefined || one === only)) {
  const release = build(kind);
  const stress = path.join(release, 'armature-test-stress');
  check(`stress under ${kind}`, run(`stress under ${kind}`, stress, []));
  if (kind !== 'address') continue;
  // Node itself leaves memory to the end of the process: only what the addon allocated counts.
  const env = {
    LD_PRELOAD: libraryOf('libasan.so'),
    ASAN_OPTIONS: 'detect_leaks=1:exitcode=0:fast_unwind_on_malloc=0',
    ARMATURE_NATIVE_BUILD: release,
  };
  const life = run('the addon in Node under address', process.execPath, [path.join(native, 'test/life.mjs'), '5'], env);
  const hasRun = life.text.includes('"after"');
  const isBad = /ERROR: AddressSanitizer|heap-use-after-free|armature(_hardware|::)/.test(life.text);
  check('the addon in Node', life, hasRun && !isBad);
}
process.exit(isClean ? 0 : 1);
