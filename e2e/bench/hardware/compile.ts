import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { CannotMeasure } from '../measure.ts';

const native = path.join(import.meta.dirname, '../../../native/src');

/** The files of the addon that a program is linked with; none of them depends on Node. */
export const ENGINE = [
  ...['outputs.cpp', 'line_expiry.cpp', 'line_set.cpp', 'named_thread.cpp', 'pulser.cpp', 'pwm_channels.cpp'],
  ...['expiry_thread.cpp', 'error.cpp'],
];
export const EDGES = [
  ...['edges.cpp', 'error.cpp', 'named_thread.cpp', 'linux/os.cpp'],
  ...['sim/sim_backend.cpp', 'sim/sim_bus.cpp', 'sim/sim_gpio.cpp', 'sim/sim_world.cpp'],
];

/**
 * Compiles a program of this folder in the same way as the addon.
 * @param source its file; C where it ends with `.c`
 * @param parts files of `native/src` that it is linked with
 * @returns the path of the program
 * @throws {CannotMeasure} without a compiler
 */
export async function compiled(folder: string, source: string, parts: readonly string[] = []): Promise<string> {
  const program = path.join(folder, path.parse(source).name);
  const compiler = source.endsWith('.c') ? ['cc', '-std=c11'] : ['c++', '-std=c++20', '-iquote', native];
  const sources = [path.join(import.meta.dirname, source), ...parts.map((part) => path.join(native, part))];
  const [file = '', ...flags] = compiler;
  try {
    await promisify(execFile)(file, [...flags, '-O2', '-DNDEBUG', '-pthread', '-o', program, ...sources]);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    throw new CannotMeasure(`there is no ${file}: sudo apt install g++`);
  }
  return program;
}
