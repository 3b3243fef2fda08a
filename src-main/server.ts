import { stat } from 'node:fs/promises';
import { homeFolder, ensureStarterConfig } from './app/home.ts';
import { Station } from './app/station.ts';
import { ProgramEnd } from './app/program-end.ts';
import { version } from './app/version.ts';
import { systemClock } from './base/clock.ts';
import { ArmatureError, toArmatureError } from './base/errors.ts';
import { ComputerHardware } from './hardware/computer-hardware.ts';
import { hideOwnMemory } from './hardware/own-memory.ts';
import { readCloudSettings } from './machine/cloud/cloud-settings.ts';
import { problemLine } from './machine/config/command-io.ts';
import type { Problem } from '../proto/config/problem.ts';
import { openLogConsole } from './machine/logging/sinks/log-console.ts';
import { defaultLogFileLimits, openLogFile } from './machine/logging/sinks/log-file.ts';
import { defaultLogStoreLimits } from './machine/logging/stored/log-protocol.ts';
import { logFolder, openLogStore } from './machine/logging/stored/log-store.ts';
import { HISTORY_CAPACITY, LogRegistry } from './machine/logging/log-registry.ts';
import { builtinCatalog } from './machine/models/catalog.ts';
import { startCpuProfile } from './machine/options/cpu-profile.ts';
import { dumpResources } from './machine/options/dump-resources.ts';
import { exitCodes, type ExitCode } from './machine/options/exit-codes.ts';
import { parseOptions, type ServerOptions } from './machine/options/parse-options.ts';
import { readServerEnvironment, type ServerEnvironment } from './machine/options/server-environment.ts';

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}

/**
 * Logs of a run, on the sinks its options ask for and in the stored log at home. Where that cannot be opened the log is
 * in memory only, and says so. Throws `file.unwritable`.
 */
export function openLogs(options: ServerOptions, home: string): LogRegistry {
  const onTrouble = (message: string): void => logs.logger('core.logging').error(message);
  const folder = logFolder(home, options.configFile);
  const opened = openLogStore(folder, defaultLogStoreLimits, systemClock, onTrouble);
  const store = 'reason' in opened ? undefined : opened;
  const logs = new LogRegistry({
    clock: systemClock,
    isDebugFlagSet: options.isDebug,
    historyCapacity: HISTORY_CAPACITY,
    store,
    // Without a store nobody knows the numbers of earlier runs: microseconds since 1970 are beyond them.
    firstSeq: store?.nextSeq ?? systemClock.now() * 1_000,
  });
  if (options.logsToConsole) logs.addSink(openLogConsole(onTrouble));
  if (options.logFile !== '') logs.addSink(openLogFile(options.logFile, defaultLogFileLimits, onTrouble));
  if ('reason' in opened) {
    logs.logger('core.logging').warn(`The log is kept in memory only, and ends with this run: ${opened.reason}`);
  }
  return logs;
}

/** A station for these options. */
export function createStation(
  options: ServerOptions,
  environment: ServerEnvironment,
  logs: LogRegistry,
  builtPage: string,
  onShutdownRequest: () => void,
): Station {
  const cloud = readCloudSettings(options.configFile, options.allowsInsecureCredentials, process.env);
  const hardware = new ComputerHardware(options.simulatesHardware ? 'sim' : 'linux');
  return new Station({
    configPath: options.configFile,
    cloud,
    environment: { ...process.env, SVC_HOME: homeFolder(process.env) },
    runsHub: options.runsHub,
    catalog: builtinCatalog,
    hardware,
    clock: systemClock,
    logs,
    pageFolder: options.sharedDirectory === '' ? builtPage : options.sharedDirectory,
    resourceTimeoutMs: environment.resourceConfigurationTimeoutMs,
    moduleStartupMs: environment.moduleStartupTimeoutMs,
    moduleHangMs: environment.moduleHangTimeoutMs,
    isEnvironmentUntrusted: options.isEnvironmentUntrusted,
    requestsLimit: environment.resourceRequestsLimit,
    revealsDiffs: options.revealsConfigDiffs,
    allowsInsecureCreds: options.allowsInsecureCredentials,
    usesWebRtc: options.usesWebRtc,
    noTls: options.isTlsOff,
    printsTelemetry: options.printsTelemetry,
    answersMulticast: !options.isMdnsDisabled,
    servesProfiler: options.servesProfiler,
    recordsDiagnostics: options.recordsDiagnostics,
    launchToken: environment.launchToken,
    windowCode: environment.windowCode,
    onShutdownRequest,
  });
}

/** What to print for a start that failed, and how to exit. */
export function describeFailure(thrown: unknown): { readonly text: string; readonly exitCode: ExitCode } {
  const error = toArmatureError(thrown);
  const problems = (error.details['problems'] ?? []) as readonly Problem[];
  const text = [...problems.map(problemLine), `armature: ${error.message}`].join('\n');
  if (error.code === 'server.cannot_bind') return { text, exitCode: exitCodes.cannotBind };
  const isInput = error.code.startsWith('config.') || error.code.startsWith('file.');
  return { text, exitCode: isInput ? exitCodes.usage : exitCodes.failed };
}

/**
 * `armature server`: serves one machine until a signal or RobotService/Shutdown ends it. Settles
 * with the exit code. On standard output: the line `serving on <url>` once calls are answered, then
 * `open <url with token>`.
 * @param builtPage folder of the page, where -shareddir names no other
 */
export async function runServer(args: readonly string[], builtPage: string): Promise<number> {
  try {
    return await runWith(args, builtPage);
  } catch (thrown) {
    const { text, exitCode } = describeFailure(thrown);
    await write(process.stderr, `${text}\n`);
    return exitCode;
  }
}

async function runWith(args: readonly string[], builtPage: string): Promise<number> {
  const usesStarter = args.includes('-starter') || args.includes('--starter');
  const given = args.filter((argument) => argument !== '-starter' && argument !== '--starter');
  const effective = usesStarter ? ['-config', await ensureStarterConfig(process.env), ...given] : given;
  const parsed = parseOptions(effective, process.env);
  const environment = readServerEnvironment(process.env);
  switch (parsed.kind) {
    case 'version':
      await write(process.stdout, `armature ${version}\n`);
      return exitCodes.ok;
    case 'help':
      await write(process.stdout, parsed.text);
      return exitCodes.ok;
    case 'usage-error':
      await write(process.stderr, `armature server: ${parsed.text}`);
      return exitCodes.usage;
    case 'run':
      break;
  }
  if (environment.kind === 'usage-error') {
    await write(process.stderr, `armature server: ${environment.text}\n`);
    return exitCodes.usage;
  }
  await hideOwnMemory();
  if (parsed.options.dumpResourcesFile !== '') {
    await dumpResources(parsed.options.dumpResourcesFile, builtinCatalog.entries());
    return exitCodes.ok;
  }
  if (parsed.options.checksNetworkOnly) return checkNetwork(parsed.options);
  return new ServerRun(parsed.options, environment.environment, builtPage).run();
}

async function checkNetwork(options: ServerOptions): Promise<number> {
  // A run without the option need not read any of it.
  const [{ networkCheck }, { nodeIo }] = await Promise.all([
    import('./app/network-check/network-check.ts'),
    import('./app/command-io.ts'),
  ]);
  const { configFile, allowsInsecureCredentials: allowsInsecureCreds, isEnvironmentUntrusted } = options;
  const home = homeFolder(process.env);
  return networkCheck(
    { configFile, allowsInsecureCreds, isEnvironmentUntrusted, home, catalog: builtinCatalog, clock: systemClock },
    nodeIo,
  );
}

/** @throws {ArmatureError} `file.unreadable` where `-shareddir` is given and names no folder */
async function checkSharedDirectory(folder: string): Promise<void> {
  if (folder === '') return;
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  const why = found === undefined ? 'is not there' : 'is no folder';
  throw new ArmatureError(
    'file.unreadable',
    `-shareddir: ${folder} ${why}. Name the folder of the page, or leave it out.`,
    {
      details: { path: folder },
    },
  );
}

/** One run of the server, from its options to its exit code. */
class ServerRun {
  readonly #options: ServerOptions;
  readonly #logs: LogRegistry;
  readonly #station: Station;
  readonly #end: ProgramEnd;

  constructor(options: ServerOptions, environment: ServerEnvironment, builtPage: string) {
    this.#options = options;
    this.#logs = openLogs(options, homeFolder(process.env));
    this.#end = new ProgramEnd('server', this.#logs);
    this.#station = createStation(options, environment, this.#logs, builtPage, () => this.#end.request());
  }

  async run(): Promise<number> {
    const profile =
      this.#options.cpuProfileFile === '' ? undefined : await startCpuProfile(this.#options.cpuProfileFile);
    this.#end.followFaults();
    try {
      await checkSharedDirectory(this.#options.sharedDirectory);
      await this.#station.listen();
    } catch (thrown) {
      await this.#logs.close();
      throw thrown;
    }
    this.#end.followSignals();
    await write(process.stdout, `serving on ${this.#station.url}\nopen ${this.#station.pageUrl}\n`);
    const { userSocket: socket } = this.#station;
    this.#logs.activity.info(`serving on ${this.#station.url}`, { version, config: this.#options.configFile, socket });
    // A failure here is the configuration's own and is in its state; the server goes on serving it.
    void this.#station.start().catch((thrown: unknown) => {
      this.#logs.logger('core.machine').error(`The machine did not start: ${toArmatureError(thrown).message}`);
    });
    await this.#end.requested;
    await this.#end.carryOut(async () => {
      await this.#station.stop();
      await profile?.stop();
      this.#logs.activity.info('stopped', {});
      await this.#logs.close();
    });
    return this.#end.exitCode;
  }
}
