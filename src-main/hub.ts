import { runHubCommand } from './app/hub/hub-commands.ts';
import { hubUsage, parseHubCommand, type HubCommand } from './app/hub/hub-options.ts';
import { HubStation } from './app/hub/hub-station.ts';
import { ProgramEnd } from './app/program-end.ts';
import { version } from './app/version.ts';
import { systemClock } from './base/clock.ts';
import { hideOwnMemory } from './hardware/own-memory.ts';
import { toArmatureError } from './base/errors.ts';
import { openLogConsole } from './machine/logging/sinks/log-console.ts';
import { LogRegistry } from './machine/logging/log-registry.ts';
import { exitCodes, type ExitCode } from './machine/options/exit-codes.ts';

/** Lines kept in memory: nobody reads them there. */
const HISTORY = 100;

type Serve = HubCommand & { readonly kind: 'serve' };

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}

/**
 * `armature hub`: serves a hub until a signal ends it, or carries one command
 * out. Settles with the exit code, which means what the server's does. On
 * standard output: on the first start `organization <id>`, `owner key id <id>`
 * and `owner key <secret>`, with TLS `fingerprint <SHA-256>`, then `serving on
 * <url>` once calls are answered.
 * @param builtPage folder of the page
 */
export async function runHub(args: readonly string[], builtPage: string): Promise<ExitCode> {
  const command = parseHubCommand(args, process.env);
  if (command.kind === 'help') {
    await write(process.stdout, hubUsage);
    return exitCodes.ok;
  }
  if (command.kind === 'usage-error') {
    await write(process.stderr, `armature hub: ${command.text}`);
    return exitCodes.usage;
  }
  const logs = openLogs(command.kind === 'serve' && command.isDebug);
  try {
    if (command.kind === 'serve') return await new HubRun(command, logs, builtPage).run();
    await write(process.stdout, await runHubCommand(command, logs.logger('core.hub')));
    return exitCodes.ok;
  } catch (thrown) {
    const error = toArmatureError(thrown);
    await write(process.stderr, `armature hub: ${error.message}\n`);
    if (error.code === 'server.cannot_bind') return exitCodes.cannotBind;
    return error.info.kind === 'ours' ? exitCodes.failed : exitCodes.usage;
  } finally {
    await logs.close();
  }
}

function openLogs(isDebug: boolean): LogRegistry {
  const logs = new LogRegistry({
    clock: systemClock,
    isDebugFlagSet: isDebug,
    historyCapacity: HISTORY,
    store: undefined,
    firstSeq: 1,
  });
  logs.addSink(openLogConsole((message) => logs.logger('core.logging').error(message)));
  return logs;
}

/** One run of the hub, from its options to its exit code. */
class HubRun {
  readonly #command: Serve;
  readonly #logs: LogRegistry;
  readonly #builtPage: string;
  readonly #end: ProgramEnd;

  constructor(command: Serve, logs: LogRegistry, builtPage: string) {
    this.#command = command;
    this.#builtPage = builtPage;
    this.#logs = logs;
    this.#end = new ProgramEnd('hub', logs);
  }

  async run(): Promise<ExitCode> {
    // It has the keys of its authority, and perhaps the password of its database.
    await hideOwnMemory();
    this.#end.followFaults();
    const { place } = this.#command;
    const station = await HubStation.open({
      ...this.#command,
      pageFolder: this.#builtPage,
      ...place,
      clock: systemClock,
      logger: this.#logs.logger('core.hub'),
      onLost: (reason) => {
        this.#logs.fatal(`The hub has lost its data and stops; start it again. ${reason}`, {});
        this.#end.request(exitCodes.failed);
      },
    });
    try {
      // Before anything else can fail: the key is shown now or never.
      await this.#tellFirstStart(station);
      await station.listen();
    } catch (thrown) {
      await station.stop();
      throw thrown;
    }
    this.#end.followSignals();
    const { fingerprint } = station;
    if (fingerprint !== undefined) await write(process.stdout, `fingerprint ${fingerprint}\n`);
    await write(process.stdout, `serving on ${station.url}\n`);
    this.#logs.activity.info(`hub serving on ${station.url}`, { version, data: station.data });
    await this.#end.requested;
    await this.#end.carryOut(() => station.stop());
    this.#logs.activity.info('stopped', {});
    return this.#end.exitCode;
  }

  async #tellFirstStart({ firstStart }: HubStation): Promise<void> {
    if (firstStart === undefined) return;
    const { organizationId, ownerKey } = firstStart;
    await write(
      process.stdout,
      `organization ${organizationId}\nowner key id ${ownerKey.id}\nowner key ${ownerKey.secret}\n`,
    );
  }
}
