import type { Problem } from '../../../proto/config/problem.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { ModelCatalog } from '../catalog/catalog-type.ts';
import type { ParsedConfig } from './machine-config.ts';
import { parseConfig } from './reading/parse-config.ts';

/** Input and output of a command. */
export interface CommandIo {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Text of a file. Rejects with `config.unreadable` or `config.invalid` (see `readText`). */
  readFile(path: string): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Exit codes. */
export const exitCodes = { ok: 0, problems: 1, usage: 2 } as const;

/** Reads and parses a file; an unreadable file is a problem like any other. */
export async function parseFile(file: string, io: CommandIo, catalog: ModelCatalog): Promise<ParsedConfig> {
  let text: string;
  try {
    text = await io.readFile(file);
  } catch (thrown) {
    // Programs that parse the list of problems should find this one in it.
    const { message } = toArmatureError(thrown);
    const problem: Problem = {
      file,
      line: 0,
      column: 0,
      pointer: '',
      severity: 'error',
      code: 'config.unreadable',
      message,
    };
    return { text: '', config: undefined, problems: [problem] };
  }
  return parseConfig(text, { file, isFile: true, environment: io.env, catalog });
}

/** One line for a problem, `file:line:column: error code message`, in the format of compilers. */
export function problemLine({ file, line, column, severity, code, message }: Problem): string {
  return `${file}:${line}:${column}: ${severity} ${code} ${message}`;
}
