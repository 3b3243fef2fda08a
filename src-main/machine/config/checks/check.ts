import { hasError } from '../problem-list.ts';
import { exitCodes, parseFile, problemLine, type CommandIo } from '../command-io.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';

export const checkUsage = 'usage: armature config check FILE [--json]\n';

/**
 * `armature config check FILE [--json]`: reports every problem of a file, and starts nothing. `argv` is what follows
 * `check`. Exit code 1 if there is an error, 2 for wrong usage, else 0. With `--json`, standard output is one array of
 * {@link Problem}s.
 */
export async function checkCommand(argv: readonly string[], io: CommandIo, catalog: ModelCatalog): Promise<number> {
  const files = argv.filter((argument) => !argument.startsWith('-'));
  const options = argv.filter((argument) => argument.startsWith('-'));
  const isJson = options.some(isJsonOption);
  const [file] = files;
  if (file === undefined || files.length > 1 || options.some((option) => !isJsonOption(option))) {
    io.stderr(checkUsage);
    return exitCodes.usage;
  }
  const { problems } = await parseFile(file, io, catalog);
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  if (isJson) io.stdout(`${JSON.stringify(problems, undefined, 2)}\n`);
  else {
    for (const problem of problems) io.stdout(`${problemLine(problem)}\n`);
    io.stdout(`${file}: ${count(errors, 'error')}, ${count(problems.length - errors, 'warning')}\n`);
  }
  return hasError(problems) ? exitCodes.problems : exitCodes.ok;
}

/** Go's flag package accepts one dash or two. */
export function isJsonOption(option: string): boolean {
  return option === '--json' || option === '-json';
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
