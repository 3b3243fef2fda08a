/**
 * Everything a fresh clone needs before it can start or be tested: packages, generated code, the build, the hardware
 * addon, and (for tests) a browser. Does only what is missing or out of date, and reports what it does. Plain Node, no
 * dependencies.
 *
 *   node build/setup.mjs --for start|build|test
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumProgram } from './chromium-program.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stamps = path.join(root, 'node_modules', '.armature');

/** The Node that the repository installs; a script in .bin would work everywhere but on Windows. */
const node = path.join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/**
 * Debian's Chromium is enough: the browsers that Playwright would download are not needed. Nor are the parts of ONNX
 * Runtime for graphics cards, which are in no package.
 */
const installEnvironment = {
  ...process.env,
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  ONNXRUNTIME_NODE_INSTALL: 'skip',
};

function run(what, command, args, options = {}) {
  process.stderr.write(`setup: ${what}\n`);
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  process.stderr.write(`setup: ${what} failed (${command} ${args.join(' ')})\n`);
  process.exit(1);
}

function digest(...contents) {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content);
  return hash.digest('hex');
}

function isCurrent(name, value) {
  const file = path.join(stamps, name);
  return existsSync(file) && readFileSync(file, 'utf8') === value;
}

function stamp(name, value) {
  mkdirSync(stamps, { recursive: true });
  writeFileSync(path.join(stamps, name), value);
}

/** Name, size and time of every file below the given paths: cheap, and enough to detect a change. */
function fingerprint(places) {
  const hash = createHash('sha256');
  const visit = (place) => {
    const full = path.join(root, place);
    if (!existsSync(full)) return;
    const stat = statSync(full);
    if (!stat.isDirectory()) {
      hash.update(`${place} ${stat.size} ${stat.mtimeMs}\n`);
      return;
    }
    for (const entry of readdirSync(full).sort()) visit(`${place}/${entry}`);
  };
  for (const place of places) visit(place);
  return hash.digest('hex');
}

function installPackages() {
  const lock = digest(readFileSync(path.join(root, 'package-lock.json')));
  if (existsSync(node) && isCurrent('packages', lock)) return;
  run('installing packages (npm ci)', 'npm', ['ci', '--no-audit', '--no-fund'], {
    env: installEnvironment,
    shell: process.platform === 'win32',
  });
  stamp('packages', lock);
}

function generateCode() {
  const result = spawnSync(node, ['build/generate.mjs'], { cwd: root, encoding: 'utf8' });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout}${result.stderr}setup: generating code from proto/ failed\n`);
  process.exit(1);
}

function buildProgram() {
  const inputs = ['src-main', 'src-renderer', 'proto', 'package.json', 'package-lock.json'];
  inputs.push('electron.vite.config.ts', 'build/lean-bundle.ts', 'build/module-sdk.ts');
  const before = fingerprint(inputs);
  if (existsSync(path.join(root, 'dist/main/cli.js')) && isCurrent('build', before)) return;
  run('building (electron-vite build)', node, [
    path.join(root, 'node_modules/electron-vite/bin/electron-vite.js'),
    'build',
    '--logLevel',
    'warn',
  ]);
  stamp('build', before);
}

function hasTool(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** The server runs without the hardware addon, so a failed build is only reported. */
function buildNative() {
  if (process.platform !== 'linux') return;
  const sources = ['CMakeLists.txt', 'package.json', 'src', 'guardian', 'test'].map((name) => `native/${name}`);
  const before = `${fingerprint(sources)} ${process.arch}`;
  const built = path.join(root, 'native/build/Release/armature_hardware.node');
  if (existsSync(built) && isCurrent('native', before)) return;
  const compiler = process.env.CXX ?? 'c++';
  if (!hasTool('cmake') || !hasTool(compiler)) {
    process.stderr.write(
      'setup: no cmake and C++ compiler, so this runs without GPIO, PWM, SPI and I2C (sudo apt install cmake g++)\n',
    );
    return;
  }
  process.stderr.write('setup: building the hardware addon (cmake-js)\n');
  const args = [path.join(root, 'node_modules/cmake-js/bin/cmake-js'), 'compile', '-d', 'native'];
  const result = spawnSync(node, [...args, '-O', path.join(root, 'native/build')], { cwd: root, encoding: 'utf8' });
  if (result.status === 0) {
    stamp('native', before);
    return;
  }
  process.stderr.write(
    `${result.stdout}${result.stderr}setup: the hardware addon was not built; going on without it\n`,
  );
}

function installBrowser() {
  if (process.env.ARMATURE_BROWSER !== undefined || chromiumProgram() !== undefined) return;
  const isRoot = process.getuid?.() === 0;
  if (existsSync('/usr/bin/apt-get') && isRoot) {
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    run('updating package lists (apt-get update)', 'apt-get', ['update', '-qq'], { env: environment });
    run('installing Chromium (apt-get install chromium)', 'apt-get', ['install', '-y', '-qq', 'chromium'], {
      env: environment,
    });
    return;
  }
  process.stderr.write(
    'setup: the browser tests need Chromium. Install it once with:  sudo apt-get install chromium\n' +
      'setup: or set ARMATURE_BROWSER to the path of a Chromium program; until then those tests are skipped.\n',
  );
}

const purpose = process.argv[process.argv.indexOf('--for') + 1];
if (!['start', 'build', 'test'].includes(purpose)) {
  process.stderr.write('usage: node build/setup.mjs --for start|build|test\n');
  process.exit(2);
}
installPackages();
generateCode();
buildProgram();
buildNative();
if (purpose === 'test') installBrowser();
