import { toArmatureError } from '../../base/errors.ts';
import { UsageError, type ModuleIo } from './module-io.ts';

type Run = (args: readonly string[], io: ModuleIo) => Promise<number>;

/** Subcommands by their verbs; each is loaded when it is asked for. */
export type Subcommands = Readonly<Record<string, () => Promise<Run>>>;

/** Exit codes as for the other commands: 1 for a failure, 2 for a wrong command line. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/**
 * Carries out one command of several that begin alike.
 * @param family how they begin: `armature module`
 * @returns the exit code
 */
export async function runSubcommand(
  family: string,
  usage: string,
  commands: Subcommands,
  args: readonly string[],
  io: ModuleIo,
): Promise<number> {
  const [verb = '', ...rest] = args;
  if (verb === 'help' || args.some((word) => /^--?(help|h)$/.test(word))) {
    io.stdout(usage);
    return exitCodes.ok;
  }
  const load = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (load === undefined) {
    io.stderr(verb === '' ? usage : `${family}: "${verb}" is no command.\n\n${usage}`);
    return exitCodes.usage;
  }
  try {
    const run = await load();
    return await run(rest, io);
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      io.stderr(`${family} ${verb}: ${thrown.message}\n\n${usage}`);
      return exitCodes.usage;
    }
    const error = toArmatureError(thrown);
    io.stderr(`${family} ${verb}: ${error.message}\n`);
    return error.code === 'call.bad_argument' ? exitCodes.usage : exitCodes.failed;
  }
}
