/**
 * Runs every test of this folder with the addon, its guardian and the C++ tests built with AddressSanitizer and with
 * ThreadSanitizer. The sanitizer's library is loaded into Node too, so that it sees what Node allocates, frees and
 * locks. Node itself was not built for it and causes many reports: only those about our code count. Exits with 1 where
 * a test fails or a sanitizer reports a problem in our code.
 *
 *   node native/test/sanitize.mjs [address|thread]
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const native = path.dirname(import.meta.dirname);
const vitest = path.join(native, '../node_modules/vitest/vitest.mjs');

const kinds = {
  address: {
    library: 'libasan.so',
    // Full stacks show who allocated a leak. Freed memory is reused soon, so that memory can be measured.
    options: 'ASAN_OPTIONS=detect_leaks=1:fast_unwind_on_malloc=0:quarantine_size_mb=1',
    isOurs: (report) => report.includes('ERROR: AddressSanitizer') || isOurLeak(report),
  },
  thread: { library: 'libtsan.so', options: 'TSAN_OPTIONS=second_deadlock_stack=1', isOurs: isOurRace },
};

/** Node cannot free a promise of an environment that ends before the promise settles: 8 bytes for each. */
function isOurLeak(report) {
  return /leak of/.test(report) && isOurCode(report) && !report.includes('napi_create_promise');
}

function isOurCode(text) {
  return /armature_hardware|armature-guardian|armature-test|native\/src\//.test(text);
}

/**
 * Whether one of the two threads of a race runs our code: the innermost call that is neither the sanitizer's nor the
 * C++ library's. Node's own threads synchronize by atomic operations that the sanitizer does not see.
 */
function isOurRace(report) {
  const stacks = report.split(/\n\s*\n/).map((part) => part.split('\n').filter((line) => /^\s+#\d+ /.test(line)));
  const ends = stacks.map((stack) => stack.find((frame) => !/libtsan|sanitizer_common|libstdc\+\+/.test(frame)) ?? '');
  return report.includes('WARNING: ThreadSanitizer') && ends.some(isOurCode);
}

/** @returns whether it exited with 0; its output is shown where it did not */
function run(what, command, args, env = {}) {
  process.stdout.write(`sanitize: ${what}\n`);
  const options = { encoding: 'utf8', env: { ...process.env, ...env }, timeout: 900_000, maxBuffer: 2 ** 26 };
  const { status, signal, stdout, stderr } = spawnSync(command, args, options);
  if (status !== 0) process.stdout.write(`${stdout}${stderr}\nsanitize: ${what}: failed (${signal ?? status})\n`);
  return status === 0;
}

/** @returns the folder of the programs, undefined where they could not be built */
function build(kind) {
  const folder = path.join(native, 'build', kind);
  const isBuilt =
    run(`configuring for ${kind}`, 'cmake', ['-S', native, '-B', folder, `-DSANITIZER=${kind}`]) &&
    run(`building for ${kind}`, 'cmake', ['--build', folder, '-j1']);
  return isBuilt ? path.join(folder, 'Release') : undefined;
}

/** @returns the reports of all processes that concern our code */
function ours(folder, isOurs) {
  const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return texts.flatMap((text) => text.split(/^={18,}$|\n(?=(?:Direct|Indirect) leak of)/m)).filter(isOurs);
}

function isClean(kind) {
  const release = build(kind);
  if (release === undefined) return false;
  const { library, options, isOurs } = kinds[kind];
  const file = spawnSync('c++', [`-print-file-name=${library}`], { encoding: 'utf8' }).stdout.trim();
  const reports = mkdtempSync(path.join(tmpdir(), `armature-${kind}-`));
  // Some tests run a program as another user. A sanitizer that cannot write its report ends the program.
  chmodSync(reports, 0o777);
  const [name, flags] = options.split(/=(.*)/);
  const env = {
    LD_PRELOAD: file,
    ARMATURE_NATIVE_BUILD: release,
    // Reports about Node must not end a test; those about our code are found in the files.
    [name]: `${flags}:exitcode=0:log_path=${path.join(reports, 'report')}`,
  };
  try {
    // Sometimes many times slower: a test whose wait was too short is retried.
    const args = [vitest, 'run', '--project', 'integration', '--retry', '2', 'native/test'];
    const hasPassed = run(`the tests under ${kind}`, process.execPath, args, env);
    const found = ours(reports, isOurs);
    for (const report of found) process.stdout.write(`${report}\n`);
    process.stdout.write(`sanitize: ${kind}: ${found.length} reports of our code\n`);
    return hasPassed && found.length === 0;
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

const only = process.argv[2];
const results = Object.keys(kinds)
  .filter((kind) => only === undefined || kind === only)
  .map(isClean);
process.exit(results.length > 0 && results.every(Boolean) ? 0 : 1);
