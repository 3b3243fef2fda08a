import type { CommandIo } from '../machine/config/command-io.ts';
import { readText } from '../machine/config/source/config-text-file.ts';

/** Commands on this computer: its files, its streams, its environment. */
export const nodeIo: CommandIo = {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  readFile: readText,
  env: process.env,
};
