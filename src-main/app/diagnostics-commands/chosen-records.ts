import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseDuration } from '../../../proto/config/duration.ts';
import { ArmatureError, codeOf } from '../../base/errors.ts';
import { newestTime, storedBlocks, type TimeRange } from '../../machine/diagnostics/reading/stored-blocks.ts';
import { fitsGlob } from '../../machine/diagnostics/reading/metric-glob.ts';
import { diagnosticsFolder, MACHINE_FILE, machineFolder } from '../../machine/diagnostics/recording/file-names.ts';
import { homeFolder } from '../home.ts';
import { badArgument, type CommandLine, type ModuleIo } from '../module-commands/module-io.ts';

/** Options that both commands have. */
export const recordOptions = {
  since: 'string',
  until: 'string',
  metric: 'string',
  config: 'string',
  folder: 'string',
} as const;

const USUAL_SINCE = '1h';

/** Which records a command is about. */
export interface ChosenRecords {
  readonly range: TimeRange;
  isWanted(metric: string): boolean;
  /** The records of the time, oldest first; damaged ones are reported on standard error. */
  blocks(): AsyncIterable<Uint8Array>;
  /** There is nothing in the time, or nothing that is wanted. */
  nothingFound(): Promise<ArmatureError>;
}

/**
 * Reads the options of a command.
 * @throws {ArmatureError} `call.bad_argument` for a bad time, `call.not_found` where there are no records
 */
export async function chooseRecords(line: CommandLine, io: ModuleIo, nowMs: number): Promise<ChosenRecords> {
  const [since, until] = [durationOf(line, 'since', USUAL_SINCE), durationOf(line, 'until', '0s')];
  if (since <= until) throw badArgument('--since has to be further back than --until.');
  const range = { from: nowMs - since, to: nowMs - until };
  const folder = await folderOf(line, io);
  const glob = line.text('metric') ?? '*';
  return {
    range,
    isWanted: (metric) => fitsGlob(glob, metric),
    blocks: () => storedBlocks(folder, range, undefined, (what) => io.stderr(`armature diagnostics: ${what}.\n`)),
    async nothingFound() {
      const newest = await newestTime(folder);
      if (newest === undefined)
        return notFound(`There are no records in ${folder} yet. They begin with "armature server".`);
      const time = new Date(newest).toISOString();
      const where = glob === '*' ? 'in that time' : `for "${glob}" in that time`;
      return notFound(
        `Nothing was recorded ${where}. The newest record is of ${time}: look further back with --since.`,
      );
    },
  };
}

/** @throws {ArmatureError} `call.bad_argument` */
export function durationOf(line: CommandLine, name: 'since' | 'until', usual: string): number {
  const written = line.text(name) ?? usual;
  const ms = parseDuration(written);
  if (ms !== undefined && ms >= 0) return ms;
  throw badArgument(`--${name} is "${written}"; it has to be a duration, for example 90s, 10m or 24h.`);
}

/**
 * The chosen configuration: that of `--config`, else the one that was run here.
 * @throws {ArmatureError} `call.bad_argument` where several were
 */
export async function chooseConfig(line: CommandLine, io: ModuleIo): Promise<string> {
  const config = line.text('config');
  if (config !== undefined) return path.resolve(io.cwd, config);
  const home = homeFolder(io.env);
  const folder = diagnosticsFolder(home);
  const configs = await Promise.all((await recorded(folder)).map((name) => configOf(path.join(folder, name))));
  const [only, ...others] = configs;
  if (others.length > 0) throw severalRun(configs);
  return only ?? path.join(home, 'machine.json');
}

async function folderOf(line: CommandLine, io: ModuleIo): Promise<string> {
  const [folder, config] = [line.text('folder'), line.text('config')];
  if (folder !== undefined && config !== undefined) throw badArgument('--folder and --config exclude each other.');
  const home = homeFolder(io.env);
  if (folder !== undefined) return existing(path.resolve(io.cwd, folder), '');
  if (config !== undefined) return existing(machineFolder(home, path.resolve(io.cwd, config)), ` for ${config}`);
  const all = diagnosticsFolder(home);
  const machines = await namesIn(all, '');
  const [only, ...others] = machines;
  if (only === undefined) throw nothingIn(all, '');
  if (others.length === 0) return path.join(all, only);
  const configs = await Promise.all(machines.map((name) => configOf(path.join(all, name))));
  throw severalRun(configs);
}

function severalRun(configs: readonly string[]): ArmatureError {
  return badArgument(`Several machines were run here. Name one with --config: ${configs.join(', ')}.`);
}

/** Names of the folders of all machines that were recorded. */
async function recorded(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function existing(folder: string, whose: string): Promise<string> {
  await namesIn(folder, whose);
  return folder;
}

async function namesIn(folder: string, whose: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') throw nothingIn(folder, whose);
    throw new ArmatureError('file.unreadable', `${folder} cannot be read (${codeOf(thrown)}).`, { cause: thrown });
  }
}

function nothingIn(folder: string, whose: string): ArmatureError {
  return notFound(
    `Nothing was recorded${whose}: ${folder} has no records. "armature server" makes them, but for -ftdc=false; where its SVC_HOME is another, set it.`,
  );
}

function notFound(message: string): ArmatureError {
  return new ArmatureError('call.not_found', message);
}

/** The configuration that a machine ran, else the name of its folder. */
async function configOf(folder: string): Promise<string> {
  try {
    const { config } = JSON.parse(await readFile(path.join(folder, MACHINE_FILE), 'utf8')) as { config?: unknown };
    if (typeof config === 'string') return config;
  } catch {
    // A copy without it, or one that was torn: the folder has a name too.
  }
  return path.basename(folder);
}
