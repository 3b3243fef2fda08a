import type { RunOptions, RunSpec } from './run-options.ts';
import { existsSync } from 'node:fs';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import { joinedCommand } from '../cgroup/joined-command.ts';
import { confine, type ConfinedCommand, type IsolationMethod } from '../isolation/isolation.ts';
import { moduleArguments } from '../process/module-environment.ts';
import type { StartFolder } from '../process/start-folder.ts';

/** The parameters of one start of a module. */
export interface StartParameters {
  readonly folder: StartFolder;
  /** Its folder for permanent data. */
  readonly data: string;
  /** A path, or host and port. */
  readonly listenAt: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly isTcp: boolean;
}

/** The command of one start, and the cgroup of its processes; undefined if there is none. */
export interface ModuleCommand extends ConfinedCommand {
  readonly cgroup: Cgroup | undefined;
}

/**
 * The command that starts a module, isolated unless its configuration says otherwise.
 * @throws {ArmatureError} `module.failed` if the module's user may not run it
 */
export async function moduleCommand(
  { logs, home, folders, cgroups, isolation }: Pick<RunOptions, 'logs' | 'home' | 'folders' | 'cgroups' | 'isolation'>,
  { config, files }: Pick<RunSpec, 'config' | 'files'>,
  { folder, data, listenAt, environment, isTcp }: StartParameters,
): Promise<ModuleCommand> {
  const logger = logs.module(config.name);
  const args = moduleArguments(listenAt, config.logLevel ?? (logger.isEnabled('debug') ? 'debug' : undefined), isTcp);
  logger.info(`starting ${files.executable}`, { version: files.version, folder: files.root });
  // Any value in the configured `env` may be a secret. Names are enough to find a mistake.
  logger.debug(`its arguments and environment`, { args, variables: Object.keys(environment).sort().join(' ') });
  const method: IsolationMethod = isIsolated(config) ? await isolation() : { kind: 'none', reason: 'configured' };
  const sockets = {
    allSockets: folders.base,
    sockets: folder.path,
    socketFiles: existsSync(folder.parentSocket) ? [folder.parentSocket] : [],
  };
  const command = { executable: files.executable, args, folder: files.root, environment };
  const confined = await confine(command, config.name, { home, root: files.root, data, ...sockets }, method);
  const cgroup = await cgroups.open();
  if (cgroup === undefined) return { ...confined, cgroup };
  return { ...confined, command: joinedCommand(confined.command, cgroup), cgroup };
}

function isIsolated({ raw }: ModuleConfig): boolean {
  return raw['isolation'] !== 'none';
}
