/**
 * An S3-compatible store: versitygw, built by Go at a pinned version, or else moto's server from PyPI. Both are cached
 * in node_modules/.cache.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const cache = path.join(root, 'node_modules', '.cache', 'armature');
const VERSITYGW = 'v1.8.0';
const MOTO = '5.2.5';
/** On two slow processors. */
const BUILD_LIMIT_MS = 15 * 60_000;

function does(command, args, environment = {}) {
  const options = { env: { ...process.env, ...environment }, encoding: 'utf8', timeout: BUILD_LIMIT_MS };
  const { status, error, stderr } = spawnSync(command, args, options);
  if (status !== 0) process.stderr.write(`s3: ${command}: ${error?.message ?? stderr.trim().split('\n').at(-1)}\n`);
  return status === 0;
}

function versitygw() {
  const folder = path.join(cache, `versitygw-${VERSITYGW}`);
  const program = path.join(folder, 'versitygw');
  if (existsSync(program)) return program;
  process.stderr.write(`s3: building versitygw ${VERSITYGW}, which takes some minutes\n`);
  const name = `github.com/versity/versitygw/cmd/versitygw@${VERSITYGW}`;
  // Go writes the program only when it is complete.
  return does('go', ['install', name], { GOBIN: folder, GOFLAGS: '-mod=mod' }) ? program : undefined;
}

function moto() {
  const folder = path.join(cache, `moto-${MOTO}`);
  const program = path.join(folder, 'bin', 'moto_server');
  const whole = path.join(folder, 'whole');
  if (existsSync(whole)) return program;
  rmSync(folder, { recursive: true, force: true });
  process.stderr.write(`s3: installing moto ${MOTO}\n`);
  const isInstalled =
    does('python3', ['-m', 'venv', folder]) &&
    does(path.join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `moto[server]==${MOTO}`]);
  if (isInstalled) mkdirSync(whole);
  return isInstalled ? program : undefined;
}

/** Path of the program; undefined where neither is available here. */
export function s3Program() {
  return versitygw() ?? moto();
}
