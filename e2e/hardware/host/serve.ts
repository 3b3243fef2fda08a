/**
 * `npm run start:virtual -- -config my.json`: the machine server inside the virtual bench, with GPIO chips, a PWM chip
 * and ADCs that are not wired to anything. Its address works in this computer's browser. Other options go to the
 * server.
 */
import { randomBytes } from 'node:crypto';
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { aborting, note, report } from './terminal.ts';
import { runInBench } from './virtual-computer.ts';

const repository = path.join(import.meta.dirname, '../../..');
const STANDARD_PORT = 8080;

/** The file that `-config` names, and the other options. */
function readOptions(args: readonly string[]): { readonly file: string | undefined; readonly rest: readonly string[] } {
  const at = args.findIndex((argument) => /^--?config(=|$)/.test(argument));
  if (at < 0) return { file: undefined, rest: args };
  const inline = /^--?config=(.+)$/.exec(args[at] ?? '')?.[1];
  const file = inline ?? args[at + 1];
  return { file, rest: [...args.slice(0, at), ...args.slice(at + (inline === undefined ? 2 : 1))] };
}

/**
 * The port that the configuration listens on; the standard port where it cannot be read, since the server reports the
 * problem.
 */
function portOf(text: string): number {
  let config: { readonly network?: { readonly bind_address?: unknown } } | null | undefined;
  try {
    config = JSON.parse(text) as { readonly network?: { readonly bind_address?: unknown } } | null;
  } catch {
    // The server reports it, with its position.
  }
  const address = config?.network?.bind_address;
  const port = typeof address === 'string' ? Number(/:(\d+)$/.exec(address)?.[1]) : STANDARD_PORT;
  return port > 0 && port < 65536 ? port : STANDARD_PORT;
}

/** Saves changes that were made inside to the user's file, or next to it if that was changed outside meanwhile. */
async function keepChanges(file: string, before: string, inside: string): Promise<void> {
  const after = await readFile(inside, 'utf8');
  if (after === before) return;
  const isUntouched = (await readFile(file, 'utf8').catch(() => '')) === before;
  const target = isUntouched ? file : file.replace(/(\.json)?$/, '.virtual.json');
  const temporary = `${target}.${randomBytes(4).toString('hex')}`;
  await copyFile(inside, temporary);
  await rename(temporary, target);
  note(`the configuration was changed inside; it is now in ${target}`);
}

const { file: given, rest } = readOptions(process.argv.slice(2));
if (given === undefined) {
  process.stderr.write('usage: npm run start:virtual -- -config FILE [options of the server]\n');
  process.exit(2);
}
const file = path.resolve(process.env['INIT_CWD'] ?? '.', given);
const text = await readFile(file, 'utf8').catch((error: Error) => {
  process.stderr.write(`virtual bench: ${file} cannot be read: ${error.message}\n`);
  process.exit(2);
});

await report(async () => {
  const server = [process.execPath, path.join(repository, 'build/armature.js'), 'server'];
  return runInBench({
    command: [...server, '-config', '/run/bench/machine.json', ...rest],
    folder: path.dirname(file),
    environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    port: portOf(text),
    onOutput: (chunk) => void process.stdout.write(chunk),
    note,
    abort: aborting(),
    prepare: (shared) => writeFile(path.join(shared, 'machine.json'), text),
    finish: (shared) => keepChanges(file, text, path.join(shared, 'machine.json')),
  });
});
