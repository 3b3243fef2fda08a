import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { cached } from './cache.ts';
import { run } from './command.ts';
import { need } from './packages.ts';

const sources = path.join(import.meta.dirname, '../guest');
const programs = {
  init: ['init.cpp', 'devices.cpp', 'network.cpp', 'files.cpp'],
  'spi-adc': ['spi-adc.cpp', 'files.cpp'],
  probe: ['probe.cpp', 'files.cpp'],
};

/**
 * The folder with the programs that run inside the bench; compiled where they are missing or their source changed.
 * @throws CannotRun
 */
export async function programsFolder(note: (text: string) => void): Promise<string> {
  const names = (await readdir(sources)).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(sources, name), 'utf8')));
  return cached('bench-programs', texts, async (folder) => {
    await need(['compiler'], note);
    for (const [program, files] of Object.entries(programs)) {
      const flags = ['-std=c++17', '-O2', '-Wall', '-Wextra', '-Werror'];
      await run('g++', [...flags, '-o', path.join(folder, program), ...files.map((file) => path.join(sources, file))]);
    }
  });
}
