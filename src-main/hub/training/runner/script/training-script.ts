import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A Python program: its files, of which `train.py` is run, and the packages that it imports. */
export interface TrainingScript {
  readonly files: ReadonlyMap<string, string>;
  readonly packages: readonly string[];
}

/** Text of each file, loaded only when a model is trained: most hubs train none. */
const sources = import.meta.glob<string>('../../scripts/*.py', { query: '?raw', import: 'default' });
const supervisor = import.meta.glob<string>('./supervise.py', { query: '?raw', import: 'default' });

/** The supervisor, which runs each script with limits. */
export const supervisorFile = (): Promise<ReadonlyMap<string, string>> => load(supervisor);

/** The hub's own script. It is bundled with the program, so it may have no files of its own on the disk. */
export async function builtInScript(): Promise<TrainingScript> {
  return { files: await load(sources), packages: ['torch', 'numpy', 'PIL'] };
}

async function load(files: Readonly<Record<string, () => Promise<string>>>): Promise<ReadonlyMap<string, string>> {
  const texts = Object.entries(files).map(async ([file, read]) => [path.basename(file), await read()] as const);
  return new Map(await Promise.all(texts));
}

/** Writes files into a folder, which is created. */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of files) await writeFile(path.join(folder, name), text, { mode: 0o600 });
}
