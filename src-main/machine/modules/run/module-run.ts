import type { RunOptions, RunSpec } from './run-options.ts';
import type { Timer } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { withTimeout } from '../../../base/async/timeout.ts';
import type { LocalServer } from '../../../rpc/port/local-server.ts';
import type { Peer, PeerAddress } from '../../../rpc/peer/peer.ts';
import { formatDuration } from '../../../../proto/config/duration.ts';
import { formatSeconds } from '../../graph/description.ts';
import { freePort } from '../../../rpc/port/free-port.ts';
import { performHandshake } from './handshake.ts';
import { watchHealth } from './health-watch.ts';
import { LiveModule } from './live-module.ts';
import { connectToModule, openParent, type ModuleSide } from './module-connections.ts';
import type { IsolationKind } from '../isolation/isolation.ts';
import { moduleCommand } from './module-command.ts';
import { describeEnd, ModuleProcess, type ProcessCommand } from '../process/module-process.ts';
import { readHandlers } from './offered-models.ts';
import { ModuleOutput } from '../output/module-output.ts';
import { secretMask } from '../output/secret-mask.ts';
import { PeerActivity } from './peer-activity.ts';
import type { RunningModule } from './running-module.ts';
import type { StartFolder } from '../process/start-folder.ts';
import { StrayProcesses } from '../process/stray-processes.ts';

/** How a start ended. */
export interface RunEnd {
  /**
   * Undefined if it was told to end. Otherwise the end of a sentence, without a full stop: `ended: exit code 1 after
   * 3.2 s`.
   */
  readonly failure: string | undefined;
  /** `exit code 1 after 3.2 s: KeyError: 'pin'`; '' if there was no process. */
  readonly lastExit: string;
}

/** The callbacks of a start. Never called from within the constructor. */
export interface RunObserver {
  onProcess(pid: number, isolation: IsolationKind): void;
  onReady(module: RunningModule): void;
  /** The module has not answered for a while, or ('') answers again. The end of a sentence, without a full stop. */
  onSilent(reason: string): void;
  /** The module no longer serves; its remaining processes are being ended. `failure` as in {@link RunEnd}. */
  onLost(failure: string): void;
  /** All its processes have ended. This is the last call. */
  onGone(end: RunEnd): void;
}

/** How long after a lost connection the end of the process may be reported, which is then given as the reason. */
const EXIT_FOLLOWS_MS = 200;
/** Time limit for a hung module to end in order. */
const HUNG_GRACE_MS = 1_000;
/** Time limit for the children of a crashed process. */
const ORPHAN_GRACE_MS = 500;

/** One process of a module, from its start until the last process of its group has ended. */
export class ModuleRun implements Stoppable {
  readonly #options: RunOptions;
  readonly #spec: RunSpec;
  readonly #observer: RunObserver;
  /** Aborts the handshake. */
  readonly #unwanted = new AbortController();
  readonly #gone: Promise<void>;
  #end: () => void = () => undefined;
  /** Resolves when the process is to be ended now. */
  readonly #over = new Promise<void>((resolve) => (this.#end = resolve));
  #failure: string | undefined;
  #isStopping = false;
  #isHung = false;
  #isSilent = false;
  #live: LiveModule | undefined;

  constructor(options: RunOptions, spec: RunSpec, observer: RunObserver) {
    this.#options = options;
    this.#spec = spec;
    this.#observer = observer;
    this.#gone = Promise.resolve().then(() => this.#run());
  }

  /**
   * Ends the module in order: waits until its resources are released, then sends a signal to the process, then to its
   * group, then kills them. Settles when no process is left.
   */
  async stop(releaseMs: number): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      this.#unwanted.abort(new ArmatureError('call.cancelled', 'The module is not wanted any more.'));
      await Promise.race([this.#over, this.#live?.released(releaseMs)]);
      this.#end();
    }
    await this.#gone;
  }

  async #run(): Promise<void> {
    const { clock, logs, guard, folders } = this.#options;
    const { config } = this.#spec;
    const logger = logs.module(config.name);
    let folder: StartFolder | undefined;
    let parent: LocalServer | undefined;
    let started: { readonly process: ModuleProcess; readonly output: ModuleOutput } | undefined;
    let strays: StrayProcesses | undefined;
    let health: Timer | undefined;
    let lastExit = '';
    try {
      folder = folders.open();
      const data = await this.#spec.makeDataFolder();
      const isTcp = config.raw['tcp_mode'] === true || process.platform === 'win32';
      const socketPath = isTcp ? undefined : folder.parentSocket;
      const { router, trust } = this.#options;
      const side: ModuleSide = { name: config.name, pid: () => started?.process.pid ?? 0, clock, logger };
      parent = await openParent(side, socketPath, router(), trust);
      const address: PeerAddress = isTcp
        ? { kind: 'tcp', host: '127.0.0.1', port: await freePort() }
        : { kind: 'unix', path: folder.moduleSocket };
      const listenAt = address.kind === 'unix' ? address.path : `${address.host}:${address.port}`;
      const environment = await this.#spec.environment(listenAt);
      const { command, user, kind, cgroup } = await moduleCommand(this.#options, this.#spec, {
        folder,
        data,
        listenAt,
        environment,
        isTcp,
      });
      strays = new StrayProcesses(listenAt, user?.isOwn === true ? user.uid : undefined, cgroup, clock);
      if (!this.#isStopping) {
        started = this.#spawn(command);
        if (started.process.pid !== 0) guard.add(started.process.pid);
        this.#observer.onProcess(started.process.pid, kind);
        health = await this.#serve(started.process, address, parent.address);
        await this.#over;
      }
    } catch (thrown) {
      this.#lose(messageOf(thrown));
    }
    health?.cancel();
    if (started === undefined) await strays?.end(0);
    else lastExit = await this.#endProcess(started.process, started.output, strays);
    this.#live?.peer.close(`module ${config.name} was ended`);
    parent?.close();
    // If it cannot be removed it does no harm: the next start uses another folder.
    await folder?.remove().catch(() => undefined);
    this.#observer.onGone({ failure: this.#isStopping ? undefined : this.#failure, lastExit });
  }

  #spawn(command: ProcessCommand): { process: ModuleProcess; output: ModuleOutput } {
    const { clock, logs } = this.#options;
    const { name } = this.#spec.config;
    const output = new ModuleOutput({ module: name, logs, clock, mask: secretMask(command.environment) });
    const process = new ModuleProcess(command, output, clock);
    void process.ended.then((end) => {
      this.#unwanted.abort(new ArmatureError('module.failed', 'its process ended'));
      this.#lose(end.kind === 'exited' ? `ended: ${describeEnd(end)}` : describeEnd(end));
    });
    return { process, output };
  }

  /** Waits until the module is ready, and reports it. Returns the health watch, which the caller must end. */
  async #serve(process: ModuleProcess, address: PeerAddress, parentAddress: string): Promise<Timer | undefined> {
    const { clock, timing, logs, recorded } = this.#options;
    const { config } = this.#spec;
    const startedAt = clock.monotonic();
    const signal = this.#unwanted.signal;
    const side: ModuleSide = { name: config.name, pid: () => process.pid, clock, logger: logs.module(config.name) };
    const connect = (to: PeerAddress, limit: AbortSignal): Promise<Peer> => connectToModule(side, to, limit);
    let shaken;
    try {
      shaken = await performHandshake({ address, parentAddress, openPeer: connect, clock, timing, signal });
    } catch (thrown) {
      // The end of the process was reported already.
      if (!signal.aborted) this.#lose(`did not become ready: ${messageOf(thrown)}`);
      return undefined;
    }
    const { answer } = shaken;
    const peer = new PeerActivity(shaken.peer, clock, (start) => recorded?.(config.name, start) ?? start);
    if (process.end !== undefined || this.#isStopping) {
      peer.close('the module has ended');
      return undefined;
    }
    const logger = logs.module(config.name);
    const { models, problems } = readHandlers(answer.handlermap);
    for (const problem of problems) logger.warn(`It offers what cannot be used, which is left out: ${problem}.`);
    this.#live = new LiveModule(config, peer, models, clock);
    peer.onClose((reason) => void this.#loseConnection(process, reason.replace(/\.$/, '')));
    logger.info(`ready after ${formatSeconds(clock.monotonic() - startedAt)}`, {
      models: models.length,
      pid: process.pid,
    });
    this.#observer.onReady(this.#live);
    if (peer.isClosed) return undefined;
    return watchHealth(peer, clock, timing, {
      onSilent: (reason) => this.#silent(reason),
      onHung: (reason) => {
        this.#isHung = true;
        this.#lose(`hangs: it ${reason}`);
      },
    });
  }

  #silent(reason: string): void {
    if (this.#isStopping || this.#failure !== undefined) return;
    const logger = this.#options.logs.module(this.#spec.config.name);
    if (reason === '') logger.info('it answers again');
    else if (!this.#isSilent) {
      const limit = formatDuration(this.#options.timing.hangMs);
      logger.warn(
        `it ${reason}; it is started again when that lasts ${limit} (SVC_MODULE_HANG_TIMEOUT), or restart it`,
      );
    }
    this.#isSilent = reason !== '';
    this.#observer.onSilent(reason);
  }

  /**
   * A process that ends closes its connection shortly before its end is known; that end is then the reason to report.
   */
  async #loseConnection(process: ModuleProcess, reason: string): Promise<void> {
    await this.#within(process, EXIT_FOLLOWS_MS);
    const subject = `module ${this.#spec.config.name} `;
    this.#lose(reason.startsWith(subject) ? reason.slice(subject.length) : `lost its connection (${reason})`);
  }

  #lose(failure: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    if (!this.#isStopping) this.#observer.onLost(failure);
    this.#end();
  }

  /** Ends whatever is left of the process. @returns how it ended, with its last error output */
  async #endProcess(process: ModuleProcess, output: ModuleOutput, strays?: StrayProcesses): Promise<string> {
    const { guard, logs, timing } = this.#options;
    const logger = logs.module(this.#spec.config.name);
    const { group } = process;
    const endedByItself = process.end;
    if (group !== undefined) {
      const wasEnded = process.end !== undefined;
      if (!wasEnded) await this.#terminate(process);
      const isGone = await group.end(wasEnded && !this.#isStopping ? ORPHAN_GRACE_MS : timing.groupTermMs);
      if (isGone) guard.remove(process.pid);
      else
        logger.error(
          `Process group ${process.pid} could not be ended; look at it with: ps -o pid,stat,wchan,args -g ${process.pid}`,
        );
    }
    const left = (await strays?.end(ORPHAN_GRACE_MS)) ?? [];
    if (left.length > 0) logger.error(`processes that it left behind could not be ended: ${left.join(', ')}`);
    await process.drained();
    output.end();
    const end = process.end;
    if (end === undefined) return `process ${process.pid} could not be ended`;
    const [last] = output.lastErrors().slice(-1);
    const words = describeEnd(end);
    const lastExit = last === undefined ? words : `${words}: ${last}`;
    if (this.#isStopping) {
      logger.info(`stopped: ${words}`);
      return lastExit;
    }
    if (endedByItself?.kind === 'exited') this.#failure = `ended: ${words}${last === undefined ? '' : ` (${last})`}`;
    else if (last !== undefined && end.kind === 'exited') this.#failure = `${this.#failure ?? ''} (${last})`;
    logger.error(`module ${this.#spec.config.name} ${this.#failure ?? 'ended'}`, {
      pid: process.pid,
      ...(end.kind === 'exited' && { exitCode: end.code, signal: end.signal, ageMs: Math.round(end.afterMs) }),
      stderr: output.lastErrors().join('\n'),
    });
    return lastExit;
  }

  async #terminate(process: ModuleProcess): Promise<void> {
    const { clock, timing } = this.#options;
    const { group } = process;
    if (group === undefined) return;
    const killMs = this.#isHung ? HUNG_GRACE_MS : timing.killMs;
    group.signalLeader('SIGTERM');
    const timers = [
      clock.after(Math.min(timing.groupTermMs, killMs), () => group.signal('SIGTERM')),
      clock.after(killMs, () => group.signal('SIGKILL')),
    ];
    await this.#within(process, killMs + UNKILLABLE_MS);
    for (const timer of timers) timer.cancel();
  }

  /** Settles when the process has ended, or after the time limit. */
  async #within(process: ModuleProcess, ms: number): Promise<void> {
    await withTimeout(() => process.ended, { clock: this.#options.clock, ms, onTimeout: () => undefined });
  }
}

/** Time limit after SIGKILL, for processes that the kernel cannot end. */
const UNKILLABLE_MS = 5_000;

function messageOf(thrown: unknown): string {
  return toArmatureError(thrown).message.replace(/\.$/, '');
}

/** A process that can be told to end. */
export interface Stoppable {
  /** @param releaseMs how long its resources may take to release it */
  stop(releaseMs: number): Promise<void>;
}
