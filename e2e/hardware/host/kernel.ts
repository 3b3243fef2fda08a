import { globSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { cached } from './cache.ts';
import { CannotRun } from './cannot-run.ts';
import { run } from './command.ts';
import { need, packages } from './packages.ts';

const configuration = path.join(import.meta.dirname, '../kernel/bench.config');

/**
 * gpio-sim resets a line to its pull when the line is released. Controllers of real boards keep the last driven level,
 * which is why a motor keeps running when its program is killed: without this patch a test of that could not fail.
 */
const keepsLevel = { file: 'drivers/gpio/gpio-sim.c', line: '\tgc->free = gpio_sim_free;\n' };

/**
 * Options that the kernel's own dependencies dropped; reported here, because they would cause confusing failures later.
 */
async function refused(wanted: string, made: string): Promise<readonly string[]> {
  const lines = new Set((await readFile(made, 'utf8')).split('\n'));
  return wanted.split('\n').filter((line) => line.startsWith('CONFIG_') && !lines.has(line));
}

async function leaveOut(file: string, line: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!text.includes(line)) throw new CannotRun(`This kernel's ${file} is not as it was: it has no "${line.trim()}".`);
  await writeFile(file, text.replace(line, ''));
}

async function build(wanted: string, folder: string, note: (text: string) => void): Promise<void> {
  await need(['source', 'compiler', 'make', 'flex', 'bison', 'bc', 'xz', 'elf'], note);
  const source = path.join(folder, 'source');
  const make = (...goals: string[]): Promise<string> =>
    run('make', ['-s', `-j${os.availableParallelism()}`, ...goals], source);
  note('building its kernel: once, some minutes');
  await run('mkdir', [source]);
  // The headers of one graphics card are a quarter of the source.
  const leftOut = '--exclude=*/drivers/gpu/drm/amd/include';
  await run('tar', ['xf', packages.source.sign, '-C', source, '--strip-components=1', leftOut]);
  await leaveOut(path.join(source, keepsLevel.file), keepsLevel.line);
  await make(`KCONFIG_ALLCONFIG=${configuration}`, 'allnoconfig');
  const missing = await refused(wanted, path.join(source, '.config'));
  if (missing.length > 0) throw new CannotRun(`This kernel's source does not take ${missing.join(', ')}.`);
  await make('bzImage', 'modules');
  for (const file of ['arch/x86/boot/bzImage', '.config', ...globSync('**/*.ko', { cwd: source })]) {
    await copyFile(path.join(source, file), path.join(folder, path.basename(file)));
  }
  await rm(source, { recursive: true });
}

/**
 * The folder with the bench's kernel (`bzImage`, the modules that are loaded on demand, `.config`); built if it is
 * missing.
 * @throws CannotRun
 */
export async function kernelFolder(note: (text: string) => void): Promise<string> {
  const wanted = await readFile(configuration, 'utf8');
  return cached('kernel', [wanted, JSON.stringify(keepsLevel)], (folder) => build(wanted, folder, note));
}
