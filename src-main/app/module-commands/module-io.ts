import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { ArmatureError } from '../../base/errors.ts';

/** What the commands for authors of modules work with. */
export interface ModuleIo {
  stdout(text: string): void;
  stderr(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths of the user start here. */
  readonly cwd: string;
  /** Folder of the installed program, with `dist/module` in it. */
  readonly root: string;
  /** Aborts when the user ends a command that does not end by itself. */
  readonly signal: AbortSignal;
}

/** A command line in its parts. */
export interface CommandLine {
  readonly positionals: readonly string[];
  /** Value of `--name VALUE`; undefined where it is not given. */
  text(name: string): string | undefined;
  flag(name: string): boolean;
}

/** Ends a command with its usage and exit code 2. */
export class UsageError extends Error {}

/**
 * Reads `--name VALUE`, `--name=VALUE` and `--flag`; Go's single dash will do.
 * @param names `{ version: 'string', json: 'boolean' }`
 * @throws {UsageError} for an option that the command does not have, and for more words than `mostPositionals`
 */
export function readCommandLine(
  args: readonly string[],
  names: Readonly<Record<string, 'string' | 'boolean'>>,
  mostPositionals: number,
): CommandLine {
  const options: ParseArgsOptionsConfig = {};
  for (const [name, type] of Object.entries(names)) options[name] = { type };
  let parsed: { readonly values: Record<string, unknown>; readonly positionals: readonly string[] };
  try {
    const words = args.map((word) => word.replace(/^-(?=[a-z][a-z-]+(=|$))/, '--'));
    parsed = parseArgs({ args: words, options, allowPositionals: true, strict: true });
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const { positionals, values } = parsed;
  const extra = positionals[mostPositionals];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many.`);
  return {
    positionals,
    text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    flag: (name) => values[name] === true,
  };
}

/** A word that the command cannot do without. @throws {UsageError} */
export function needed(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing.`);
  return value;
}

/** Something that was typed and is not allowed. */
export function badArgument(message: string): ArmatureError {
  return new ArmatureError('call.bad_argument', message);
}
