import { runSubcommand, type Subcommands } from '../module-commands/subcommands.ts';
import type { ModuleIo } from '../module-commands/module-io.ts';

export const diagnosticsUsage = `usage: armature diagnostics show [--since 1h] [--metric GLOB] [--json]
       armature diagnostics export (--csv FILE | --json FILE) [--since 1h] [--metric GLOB]
       armature diagnostics bundle [--output FILE] [--since 24h]

Reads what "armature server" records of itself each second, while it runs or when it has ended.

  show       each metric with its last, least, mean and greatest value; counters as how fast they rose
  export     every sample, as it was recorded: counters as counts, times in UTC. FILE - is standard output
  bundle     a file to give to somebody who helps: configuration, state, log, computer and records, secrets masked

  --since DURATION       how far back, for example 90s, 10m, 24h; 1h where it is not said, 24h of bundle
  --until DURATION       ends that long ago; now where it is not said
  --metric GLOB          only these: * stands for any characters, ? for one; for example "module.*.cpu"
  --csv FILE             a row a sample, a column a metric
  --json FILE            a line of JSON a sample. Of show, without a file: the answer for programs
  --output FILE          of bundle: the file to write; armature-support-TIME.tar.gz where it is not said
  --config FILE          configuration of the machine, where several have been run here
  --folder FOLDER        a copy of the records, which are in SVC_HOME/diagnostics
`;

const commands: Subcommands = {
  show: async () => (await import('./show-command.ts')).showCommand,
  bundle: async () => (await import('./bundle-command.ts')).bundleCommand,
  export: async () => (await import('./export-command.ts')).exportCommand,
};

/** `armature diagnostics`: carries out one command for what machines record of themselves. */
export function diagnosticsCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  return runSubcommand('armature diagnostics', diagnosticsUsage, commands, args, io);
}
