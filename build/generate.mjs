/**
 * Writes proto/gen from the .proto files: one TypeScript file each (ts-proto), descriptors.ts for server reflection,
 * and method-traits.ts; and src-main/apis/gen, the lists of the APIs. Returns quickly where nothing changed; writes
 * only files whose text changed, so that watchers are not triggered.
 *
 *   node build/generate.mjs            what every script runs first
 *   node build/generate.mjs --strict   keeps the type checks of the output on:
 *                                      for a new version of ts-proto, then tsc
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiLists } from './api-lists.mjs';
import { splitTraits, traitsModule } from './method-traits.mjs';

const self = fileURLToPath(import.meta.url);
const sources = [self, path.join(path.dirname(self), 'method-traits.mjs')];
const source = path.join(path.dirname(path.dirname(self)), 'proto');
const target = path.join(source, 'gen');
const apis = path.join(path.dirname(source), 'src-main', 'apis');
const stampFile = path.join(target, '.stamp');
const isStrict = process.argv.includes('--strict');

const require = createRequire(import.meta.url);
const version = (name) => JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8')).version;

const TS_PROTO = [
  'env=both', // bytes are Uint8Array, never Buffer
  'importSuffix=.ts', // bundlers and Node's own type stripping both find the file
  'outputServices=generic-definitions',
  'outputClientImpl=false',
  'exportCommonSymbols=false',
  'annotateFilesWithVersion=false',
  'forceLong=bigint',
  'useDate=true',
  'useUnknownForValue=true',
  'useOptionals=messages', // a scalar is always present, a message may not be
  'oneof=unions-value', // { $case: 'headers', value }
  'enumsAsLiterals=true', // `enum` is not erasable
  'removeEnumPrefix=true',
  'unrecognizedEnum=false', // unknown numbers stay as they are
  // toJSON as Go clients expect it from the reference server: proto names, enums as numbers.
  'outputJsonMethods=to-only',
  'snakeToCamel=keys',
  'protoJsonFormat=false',
  'useNumericEnumForJson=true',
];

/** Only descriptors would use it, and reflection has those as bytes. */
const UNUSED = 'google/protobuf/descriptor.ts';

function protoFiles() {
  const found = [];
  const visit = (folder) => {
    for (const entry of readdirSync(path.join(source, folder), { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (name !== 'gen' && name !== 'config') visit(name);
      } else if (name.endsWith('.proto') || name === 'buf.yaml') found.push(name);
    }
  };
  visit('');
  return found.sort();
}

/** Everything that the output depends on. */
function digest(files) {
  const hash = createHash('sha256');
  hash.update(
    JSON.stringify([
      isStrict,
      version('ts-proto'),
      version('@bufbuild/buf'),
      sources.map((file) => readFileSync(file, 'utf8')),
    ]),
  );
  for (const name of files) hash.update(`\0${name}\0`).update(readFileSync(path.join(source, name)));
  return hash.digest('hex');
}

function isCurrent(hash) {
  if (!existsSync(stampFile)) return false;
  const [stamped, ...outputs] = readFileSync(stampFile, 'utf8').split('\n');
  return stamped === hash && outputs.every((name) => existsSync(path.join(target, name)));
}

function buf(...args) {
  const script = path.join(path.dirname(require.resolve('@bufbuild/buf/package.json')), 'bin', 'buf');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: source, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`buf ${args[0]} ended with ${code}`))));
  });
}

function finish(name, text) {
  const up = '../'.repeat(name.split('/').length);
  // The sender chooses the keys of maps: one may be `__proto__`.
  const owned = text.replace(/^(\s*)([\w.]+)\[([\w.]+)\] = (.*);$/gm, '$1setOwn($2, $3, $4);');
  const imported = owned === text ? text : `import { setOwn } from '${up}own-property.ts';\n${owned}`;
  // An unknown enum value from a newer peer must not make its message unprintable.
  const tolerant = imported.replace(/throw new globalThis\.Error\("Unrecognized enum value [^;]*;/g, 'return object;');
  // Checked once per version of ts-proto (--strict); checking it each time takes tsc four times as long.
  return isStrict ? tolerant : `// @ts-nocheck\n${tolerant}`;
}

async function generate(work) {
  const whole = path.join(work, 'whole.binpb');
  await buf('build', '-o', whole);
  const { image, traits } = splitTraits(readFileSync(whole));
  const withComments = path.join(work, 'with-comments.binpb');
  writeFileSync(withComments, image);
  const descriptors = path.join(work, 'descriptors.binpb');
  const template = {
    version: 'v2',
    plugins: [
      {
        local: [
          process.execPath,
          path.join(path.dirname(require.resolve('ts-proto/package.json')), 'protoc-gen-ts_proto'),
        ],
        out: path.join(work, 'out'),
        strategy: 'all',
        opt: TS_PROTO,
      },
    ],
  };
  await Promise.all([
    buf('generate', withComments, '--template', JSON.stringify(template)),
    buf('build', withComments, '--exclude-source-info', '-o', descriptors),
  ]);

  const outputs = new Map();
  for (const name of readdirSync(path.join(work, 'out'), { recursive: true })) {
    const slashed = name.split(path.sep).join('/');
    if (!slashed.endsWith('.ts') || slashed === UNUSED) continue;
    const text = readFileSync(path.join(work, 'out', name), 'utf8');
    if (text.includes(UNUSED)) throw new Error(`${slashed} imports ${UNUSED}, which is left out`);
    outputs.set(slashed, finish(slashed, text));
  }
  const base64 = readFileSync(descriptors).toString('base64');
  outputs.set(
    'descriptors.ts',
    '/** All our .proto files and what they import: a google.protobuf.FileDescriptorSet in base64. Import it lazily. */\n' +
      `export const fileDescriptorSet: string =\n  '${base64}';\n`,
  );
  outputs.set('method-traits.ts', traitsModule(traits));
  return outputs;
}

/** Writes each file atomically: another process may be reading it, or writing it too. */
function write(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(path.dirname(file), { recursive: true });
  const beside = `${file}.${process.pid}.new`;
  writeFileSync(beside, text);
  renameSync(beside, file);
}

function removeOthers(outputs) {
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath ?? entry.path, entry.name);
    const name = path.relative(target, full).split(path.sep).join('/');
    if (entry.isFile() && name.endsWith('.ts') && !outputs.has(name)) rmSync(full);
  }
}

const files = protoFiles();
for (const [name, text] of apiLists(apis)) write(path.join(apis, 'gen', name), text);
const hash = digest(files);
if (!isCurrent(hash)) {
  const started = performance.now();
  const work = mkdtempSync(path.join(tmpdir(), 'armature-proto-'));
  try {
    const outputs = await generate(work);
    // A run that is interrupted from here on leaves no stamp, so the next one repeats everything.
    rmSync(stampFile, { force: true });
    for (const [name, text] of outputs) write(path.join(target, name), text);
    removeOthers(outputs);
    write(stampFile, [hash, ...[...outputs.keys()].sort()].join('\n'));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stderr.write(`generate: ${outputs.size} files in proto/gen (${seconds} s)\n`);
  } catch (error) {
    process.stderr.write(`generate: ${error.message}\n`);
    process.exitCode = 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
