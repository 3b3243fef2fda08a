import { backoffDelayMs, defaultBackoff } from '../../base/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import type { Permission } from '../maintenance/maintenance-gate.ts';
import type { FilesFollower, ModuleFiles, ModuleFilesSource } from './module-files.ts';
import type { RunEnd, RunObserver } from './module-run.ts';
import type { ModuleState, ModuleStatus, ProcessUsage } from './module-status.ts';
import type { ModuleTiming } from './module-timing.ts';
import { restartHint } from './module-words.ts';
import type { ModuleAbsence, RunningModule } from './running-module.ts';
import { VersionSwitch } from './version-switch.ts';

export interface SupervisorParts {
  readonly clock: Clock;
  readonly timing: ModuleTiming;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly files: ModuleFilesSource;
  readonly firstRunEnvironment: (config: ModuleConfig, files: ModuleFiles) => Readonly<Record<string, string>>;
  readonly startRun: (config: ModuleConfig, files: ModuleFiles, observer: RunObserver) => Stoppable;
  readonly mayInterrupt: () => Promise<Permission>;
  /** Why no process may be started at all; '' where they may. */
  readonly refusal: string;
  /** Called after each change, at once. @param isOfDirectory whether who serves has changed, or why not */
  readonly onChange: (isOfDirectory: boolean) => void;
  /** Called once, when it was removed and nothing of it is left. */
  readonly onGone: () => void;
}

/** A process that can be told to end. */
export interface Stoppable {
  /** @param releaseMs how long what it serves may take to let go of it */
  stop(releaseMs: number): Promise<void>;
}

/** One process, as its supervisor sees it. */
interface Start {
  readonly run: Stoppable;
  readonly config: ModuleConfig;
  readonly files: ModuleFiles;
  /** Which wish it fulfils. */
  readonly order: number;
  pid: number;
  module: RunningModule | undefined;
  wasReady: boolean;
  isLost: boolean;
  isStopping: boolean;
}

/** For resources, where the machine has given up on closing them. */
const LATE_RELEASE_MS = 500;
/** How long a person's restart waits for news of the files. */
const REFRESH_MS = 5_000;

/**
 * Keeps one module running (B3.8): starts it when its files are there, again
 * with a growing delay when it ends, with other files or another configuration
 * when it is told so. Knows nothing of other modules and waits for none.
 */
export class ModuleSupervisor {
  readonly name: string;
  readonly #parts: SupervisorParts;
  readonly #versions: VersionSwitch;
  /** Undefined: it is to go. */
  #config: ModuleConfig | undefined;
  /** The last configuration there was. */
  #shown: ModuleConfig;
  #follower: FilesFollower | undefined;
  #missing = '';
  #start: Start | undefined;
  /** Counts wishes for another process. */
  #order = 0;
  #orderReason = '';
  #attempts = 0;
  #retry: Timer | undefined;
  #healthy: Timer | undefined;
  #restarts = 0;
  #lastExit = '';
  #isFrozen = false;
  #isGone = false;
  #state: ModuleState = { kind: 'pending', reason: '' };
  #since: number;
  readonly #waiters = new Set<(outcome: 'ready' | 'failed' | 'gone') => void>();
  usage: ProcessUsage | undefined;

  constructor(config: ModuleConfig, parts: SupervisorParts) {
    this.name = config.name;
    this.#parts = parts;
    this.#config = this.#shown = config;
    this.#since = parts.clock.now();
    const { clock, timing, mayInterrupt } = parts;
    this.#versions = new VersionSwitch({ clock, timing, mayInterrupt, onChange: () => this.#step() });
  }

  /** Begins. */
  open(): void {
    this.#follow();
    this.#step();
  }

  /** The process that may be called; undefined while there is none. */
  get running(): RunningModule | undefined {
    const start = this.#start;
    return start === undefined || start.isLost || start.isStopping ? undefined : start.module;
  }

  /** Id of the process and of its group; 0 while there is none. */
  get pid(): number {
    return this.#start?.pid ?? 0;
  }

  get moduleId(): string {
    return this.#shown.moduleId;
  }

  /** Undefined where it is not configured any more; it may be stopping, still. */
  get config(): ModuleConfig | undefined {
    return this.#config;
  }

  get absence(): ModuleAbsence | undefined {
    if (this.running !== undefined) return undefined;
    const { name } = this;
    const { kind, reason } = this.#state;
    const because = reason === '' ? '' : ` (${reason})`;
    switch (kind) {
      case 'failed':
        return { name, kind: 'failed', reason: `module ${name} ${reason}` };
      case 'disabled':
        return { name, kind: 'disabled', reason: `module ${name} is disabled` };
      default:
        return { name, kind: 'starting', reason: `module ${name} is ${kind}${because}` };
    }
  }

  get status(): ModuleStatus {
    const { name, moduleId, type, version, notes } = this.#shown;
    const start = this.#start;
    return {
      name,
      moduleId,
      isFromRegistry: type === 'registry',
      version: (start?.files ?? this.#versions.files)?.version ?? '',
      wantedVersion: version,
      notes,
      state: this.#state,
      since: this.#since,
      pid: this.pid,
      models: this.running?.models ?? [],
      restarts: this.#restarts,
      lastExit: this.#lastExit,
      usage: start === undefined ? undefined : this.usage,
      update: this.#versions.update,
      restartHint: start === undefined ? '' : restartHint(start.config.logLevel, this.#shown.logLevel),
    };
  }

  /**
   * Takes another configuration.
   * @param restart why the process has to be another one; undefined where it may stay
   */
  configure(config: ModuleConfig, restart: string | undefined): void {
    const before = this.#config;
    this.#config = this.#shown = config;
    if (restart !== undefined || before === undefined) this.#demand(restart ?? 'configured again');
    if (restart !== undefined || before === undefined || needsOtherFiles(before, config)) {
      this.#unfollow();
      // The files of before run on until those of another version are there.
      this.#versions.reset(restart === undefined);
      this.#follow();
    }
    this.#step();
    this.#parts.onChange(false);
  }

  /** It is not configured any more. */
  remove(): void {
    if (this.#config === undefined) return;
    this.#config = undefined;
    this.#unfollow();
    this.#versions.reset(false);
    this.#step();
  }

  /** Starts nothing any more; what runs goes on. */
  freeze(): void {
    this.#isFrozen = true;
    this.#cancelRetry();
  }

  /** Ends it. Settles when nothing of it is left. */
  async close(): Promise<void> {
    this.freeze();
    this.#versions.close();
    const gone = this.#isGone
      ? undefined
      : new Promise<void>((resolve) => this.#waiters.add((how) => how === 'gone' && resolve()));
    this.remove();
    await gone;
  }

  /**
   * Ends its process, if there is one, and starts it at once, with newer files where some wait.
   * Settles when it is ready.
   * @throws {ArmatureError} `module.disabled`; `module.failed` where it does not get ready
   */
  async restart(): Promise<void> {
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) throw refused(this.name, obstacle);
    const { clock, logger } = this.#parts;
    logger.info('a restart was asked for');
    const refreshed = this.#follower?.refresh() ?? Promise.resolve();
    await new Promise<void>((resolve) => {
      const timer = clock.after(REFRESH_MS, resolve);
      const settle = (): void => {
        timer.cancel();
        resolve();
      };
      // What came of it is told to the observer.
      refreshed.then(settle, settle);
    });
    if (this.#config === undefined || this.#isFrozen)
      throw refused(this.name, { kind: 'stopping', reason: 'it is being removed' });
    this.#versions.takeOffered();
    this.#demand('a restart was asked for');
    this.#attempts = 0;
    const outcome = new Promise<'ready' | 'failed' | 'gone'>((resolve) => {
      const waiter = (how: 'ready' | 'failed' | 'gone'): void => {
        this.#waiters.delete(waiter);
        resolve(how);
      };
      this.#waiters.add(waiter);
    });
    this.#step();
    if ((await outcome) !== 'ready') {
      throw new ArmatureError('module.failed', `Module ${this.name} ${this.#state.reason}.`);
    }
  }

  /** Another process is wanted than the one that runs; whatever was waited for is not any more. */
  #demand(reason: string): void {
    this.#order++;
    this.#orderReason = reason;
    this.#cancelRetry();
  }

  #follow(): void {
    const config = this.#config;
    if (config === undefined || this.#follower !== undefined || this.#obstacle() !== undefined) return;
    const { files, firstRunEnvironment } = this.#parts;
    this.#missing = '';
    const isCurrent = (): boolean => this.#follower === follower;
    const follower = files.follow(config, (found) => firstRunEnvironment(config, found), {
      onFiles: (found) => {
        if (!isCurrent()) return;
        this.#missing = '';
        const { running } = this;
        if (running === undefined) this.#cancelRetry();
        this.#versions.offer(found, running !== undefined);
      },
      onProgress: (progress) => {
        if (isCurrent()) this.#versions.report(progress);
      },
      onMissing: (reason) => {
        if (!isCurrent()) return;
        this.#missing = reason;
        // What runs goes on; that it is not what is wanted is told of beside it.
        if (this.#versions.files !== undefined) this.#versions.miss(config.version, reason);
        this.#step();
        this.#parts.onChange(true);
      },
    });
    this.#follower = follower;
  }

  #unfollow(): void {
    this.#follower?.close();
    this.#follower = undefined;
    this.#missing = '';
  }

  /** The state it is in because it may not run at all. */
  #obstacle(): ModuleState | undefined {
    const config = this.#config;
    if (config === undefined) return undefined;
    if (config.isDisabled) return { kind: 'disabled', reason: '' };
    const error = config.problems.find(({ severity }) => severity === 'error');
    if (error !== undefined) return failed(`cannot be started: ${error.message.replace(/\.$/, '')}`);
    return this.#parts.refusal === '' ? undefined : failed(this.#parts.refusal);
  }

  /** Moves what is towards what is wanted, by one step; each event brings the next. */
  #step(): void {
    if (this.#isGone) return;
    const start = this.#start;
    if (start !== undefined) {
      this.#stepWithProcess(start);
      return;
    }
    const config = this.#config;
    if (config === undefined) {
      this.#go();
      return;
    }
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) {
      this.#cancelRetry();
      this.#set(obstacle);
      this.#tellWaiters('failed');
      return;
    }
    this.#follow();
    if (this.#start !== undefined || this.#retry !== undefined || this.#isFrozen) return;
    const { files } = this.#versions;
    if (files !== undefined) this.#begin(config, files);
    else if (this.#missing !== '') {
      this.#set(failed(`has no program to run: ${this.#missing.replace(/\.$/, '')}`));
      this.#tellWaiters('failed');
    } else this.#set({ kind: 'pending', reason: pendingReason(this.#versions) });
  }

  #stepWithProcess(start: Start): void {
    const why = this.#whyStop(start);
    if (why === undefined || start.isStopping || start.isLost) {
      this.#parts.onChange(false);
      return;
    }
    start.isStopping = true;
    this.#versions.ended();
    this.#set({ kind: 'stopping', reason: why });
    // At the end of the machine all of them are closed already, or will not be.
    void start.run.stop(this.#isFrozen ? LATE_RELEASE_MS : this.#parts.timing.releaseMs);
  }

  #whyStop(start: Start): string | undefined {
    if (this.#config === undefined) return 'removed from the configuration';
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) return obstacle.kind === 'disabled' ? 'disabled' : obstacle.reason;
    if (start.order !== this.#order) return this.#orderReason;
    const { files } = this.#versions;
    if (files !== undefined && files !== start.files) return `version ${files.version || 'on disk'} takes its place`;
    return undefined;
  }

  #begin(config: ModuleConfig, files: ModuleFiles): void {
    const start: Start = {
      run: this.#parts.startRun(config, files, {
        onProcess: (pid) => {
          start.pid = pid;
          this.#parts.onChange(false);
        },
        onReady: (module) => this.#ready(start, module),
        onLost: (failure) => this.#lost(start, failure),
        onGone: (end) => this.#ended(start, end),
      }),
      config,
      files,
      order: this.#order,
      pid: 0,
      module: undefined,
      wasReady: false,
      isLost: false,
      isStopping: false,
    };
    this.#start = start;
    this.#set({ kind: 'starting', reason: this.#attempts === 0 ? '' : `try ${this.#attempts + 1}` });
  }

  #ready(start: Start, module: RunningModule): void {
    start.module = module;
    start.wasReady = true;
    if (start.isStopping) return;
    this.#healthy = this.#parts.clock.after(this.#parts.timing.healthyMs, () => (this.#attempts = 0));
    this.#versions.ready(start.files, this.#follower);
    this.#set({ kind: 'ready', reason: '' });
    this.#tellWaiters('ready');
  }

  #lost(start: Start, failure: string): void {
    start.isLost = true;
    if (!start.isStopping)
      this.#set({ kind: 'failed', reason: failure, attempts: this.#attempts + 1, nextRetryAt: undefined });
  }

  #ended(start: Start, { failure, lastExit }: RunEnd): void {
    this.#start = undefined;
    this.#healthy?.cancel();
    this.usage = undefined;
    if (lastExit !== '') this.#lastExit = lastExit;
    if (failure !== undefined && !start.isStopping) this.#failed(start, failure);
    this.#step();
    this.#parts.onChange(false);
  }

  #failed(start: Start, failure: string): void {
    const { clock, random, logger } = this.#parts;
    if (start.pid !== 0) this.#restarts++;
    this.#attempts++;
    if (this.#versions.failed(start.files, failure, this.#follower)) {
      const { files } = this.#versions;
      logger.warn(`version ${start.files.version} is not kept, back to ${files?.version ?? ''}: it ${failure}`);
      this.#attempts = 0;
      return;
    }
    // What was running is wanted back at once; what does not stay is given more and more time.
    const isFirst = start.wasReady && this.#attempts === 1;
    const delayMs = isFirst ? 0 : backoffDelayMs(defaultBackoff, this.#attempts, random());
    const isOrdered = start.order !== this.#order || this.#isFrozen || this.#config === undefined;
    const nextRetryAt = isOrdered ? undefined : clock.now() + delayMs;
    this.#set({ kind: 'failed', reason: failure, attempts: this.#attempts, nextRetryAt });
    if (isOrdered) return;
    this.#tellWaiters('failed');
    if (delayMs === 0) return;
    this.#retry = clock.after(delayMs, () => {
      this.#retry = undefined;
      this.#step();
    });
  }

  #go(): void {
    this.#isGone = true;
    this.#cancelRetry();
    this.#versions.close();
    this.#parts.onGone();
    this.#tellWaiters('gone');
  }

  #cancelRetry(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
  }

  #tellWaiters(outcome: 'ready' | 'failed' | 'gone'): void {
    for (const waiter of [...this.#waiters]) waiter(outcome);
  }

  #set(state: ModuleState): void {
    if (state.kind !== this.#state.kind) this.#since = this.#parts.clock.now();
    this.#state = state;
    this.#parts.onChange(true);
  }
}

function failed(reason: string): ModuleState {
  return { kind: 'failed', reason, attempts: 0, nextRetryAt: undefined };
}

function refused(name: string, { kind, reason }: ModuleState): ArmatureError {
  if (kind === 'disabled') {
    return new ArmatureError(
      'module.disabled',
      `Module ${name} is disabled: take "disabled" out of its configuration.`,
    );
  }
  return new ArmatureError('module.failed', `Module ${name} ${reason}.`);
}

function pendingReason({ update }: VersionSwitch): string {
  if (update === undefined) return 'its files are looked for';
  if (update.step === 'rejected') return update.reason;
  return `version ${update.version}: ${update.step}`;
}

/** Whether two configurations may lead to other files, the process being the same otherwise. */
function needsOtherFiles(from: ModuleConfig, to: ModuleConfig): boolean {
  return (
    from.version !== to.version ||
    from.raw['reload_path'] !== to.raw['reload_path'] ||
    from.raw['reload_enabled'] !== to.raw['reload_enabled']
  );
}
