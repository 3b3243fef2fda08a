import { hasError } from '../../machine/config/problem-list.ts';
import { readCloudSettings } from '../../machine/cloud/cloud-settings.ts';
import { ConfigCache } from '../../machine/cloud/config-cache.ts';
import { parseFile, problemLine, type CommandIo } from '../../machine/config/command-io.ts';
import type { MachineConfig, ParsedConfig } from '../../machine/config/machine-config.ts';
import { parseConfig } from '../../machine/config/reading/parse-config.ts';
import type { ModelCatalog } from '../../machine/catalog/catalog-type.ts';
import { exitCodes, type ExitCode } from '../../machine/options/exit-codes.ts';
import type { Clock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { hubCacheFolder } from '../hub/hub-membership.ts';
import { checkText } from './check-text.ts';
import { failed, type CheckResult } from './check.ts';
import { checkTargets } from './check-targets.ts';
import { checkLimits, runChecks } from './run-checks.ts';

export interface NetworkCheckOptions {
  /** '' for none: the DNS servers of the system are checked alone. */
  readonly configFile: string;
  readonly allowsInsecureCreds: boolean;
  readonly isEnvironmentUntrusted: boolean;
  /** Where the program keeps what it keeps. */
  readonly home: string;
  readonly catalog: ModelCatalog;
  readonly clock: Clock;
}

/**
 * `armature server -network-check`: checks what the machine of a configuration needs of its network, prints a report and
 * starts nothing. Settles with the exit code: 0 where all is well, 1 where a check failed, 2 where the configuration
 * cannot be used.
 * @throws {ArmatureError} for a `cloud` block that is wrong
 */
export async function networkCheck(options: NetworkCheckOptions, io: CommandIo): Promise<ExitCode> {
  const { configFile, allowsInsecureCreds, isEnvironmentUntrusted, clock } = options;
  const run = { clock, limits: checkLimits, mayStartPrograms: !isEnvironmentUntrusted };
  if (configFile === '') {
    const results = await runChecks(checkTargets(undefined, undefined), run);
    io.stdout(checkText(results, ['No configuration (-config): only the DNS servers of this system are checked.', '']));
    return codeOf(results);
  }
  const file = await parseFile(configFile, io, options.catalog);
  if (file.config === undefined) {
    for (const problem of file.problems) if (hasError([problem])) io.stderr(`${problemLine(problem)}\n`);
    return exitCodes.usage;
  }
  const cloud = readCloudSettings(configFile, allowsInsecureCreds, io.env);
  const kept = cloud === undefined ? undefined : await readKept(cloud.partId, options, io);
  const results = [
    ...wrongTargets(file),
    ...(kept === undefined ? [] : wrongTargets(kept)),
    ...(await runChecks(checkTargets(joined(file.config, kept?.config), cloud), run)),
  ];
  const isUnknown = cloud !== undefined && kept?.config === undefined;
  const preface = isUnknown
    ? ['The configuration of the hub was never received: its remotes are not checked.', '']
    : [];
  io.stdout(checkText(results, preface));
  return codeOf(results);
}

/** What the hub sent last: the remotes of a machine with a hub elsewhere are in that. */
async function readKept(
  partId: string,
  { home, catalog }: NetworkCheckOptions,
  io: CommandIo,
): Promise<ParsedConfig | undefined> {
  const cached = await new ConfigCache(hubCacheFolder(home, partId), silentLogger).peek();
  if (cached === undefined) return undefined;
  return parseConfig(cached.text, { file: 'configuration of the hub', environment: io.env, catalog });
}

/** The file's own targets win, as its address does. */
function joined(file: MachineConfig, kept: MachineConfig | undefined): MachineConfig {
  if (kept === undefined) return file;
  return { ...kept, network: { ...kept.network, check: file.network.check ?? kept.network.check } };
}

/** A target that cannot be read is one that is not checked. */
function wrongTargets({ problems }: ParsedConfig): readonly CheckResult[] {
  return problems
    .filter(({ pointer }) => /^\/network\/check(\/|$)/i.test(pointer))
    .map((problem) => ({
      area: 'Target',
      target: `${problem.file}:${problem.line}`,
      tookMs: 0,
      ...failed(problem.message, 'Correct it in the configuration.'),
    }));
}

function codeOf(results: readonly CheckResult[]): ExitCode {
  return results.some(({ state }) => state === 'failed') ? exitCodes.failed : exitCodes.ok;
}
