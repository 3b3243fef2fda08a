import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import type { IsolationKind } from './isolation/isolation.ts';
import type { ModuleFiles } from './module-files.ts';
import type { RunEnd, RunObserver, Stoppable } from './run/module-run.ts';
import type { ModuleState, ModuleStatus, ProcessUsage } from './module-status.ts';
import type { ModuleTiming } from './run/module-timing.ts';
import { ModuleVersions, type ModuleVersionsOptions } from './module-versions.ts';
import { absenceOf, failedState, blockedState, pendingReason, refusedStart, restartHint } from './module-messages.ts';
import { RetryDelay } from './retry-delay.ts';
import type { ModuleAbsence, RunningModule } from './run/running-module.ts';

export interface SupervisorOptions extends Pick<
  ModuleVersionsOptions,
  'source' | 'firstRunEnvironment' | 'mayInterrupt'
> {
  readonly clock: Clock;
  readonly timing: ModuleTiming;
  /** A random number in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly startRun: (config: ModuleConfig, files: ModuleFiles, observer: RunObserver) => Stoppable;
  /** Why no process may be started at all; '' if processes may be. */
  readonly refusal: string;
  /**
   * Called at once after each change. @param isOfDirectory whether which module serves what, or why one does not, has
   * changed
   */
  readonly onChange: (isOfDirectory: boolean) => void;
  /** Called once, when the module was removed and all its processes have ended. */
  readonly onGone: () => void;
}

/** One process, as its supervisor sees it. */
interface Start {
  readonly run: Stoppable;
  readonly config: ModuleConfig;
  readonly files: ModuleFiles;
  /** Which request for a process it serves. */
  readonly order: number;
  pid: number;
  isolation: IsolationKind | '';
  module: RunningModule | undefined;
  isLost: boolean;
  isStopping: boolean;
}

/** The outcome of a start. */
type Outcome = 'ready' | 'failed' | 'gone';

/** For resources that the machine has given up on closing. */
const LATE_RELEASE_MS = 500;
/** How long a manual restart waits for news about the files. */
const REFRESH_MS = 5_000;

/**
 * Keeps one module running: starts it when its files are available, restarts it with a growing delay when it ends, and
 * restarts it for new files, another configuration or a request. Independent of other modules.
 */
export class ModuleSupervisor {
  readonly name: string;
  /** Usage of its processes; set by the code that measures it. */
  usage: ProcessUsage | undefined;
  readonly #options: SupervisorOptions;
  readonly #versions: ModuleVersions;
  readonly #retry: RetryDelay;
  readonly #outcomes = new Emitter<Outcome>();
  /** Undefined: the module is to be removed. */
  #config: ModuleConfig | undefined;
  /** The last configuration. */
  #shown: ModuleConfig;
  #start: Start | undefined;
  /** Counts requests for a new process; `reason` belongs to the last one. */
  #order = 0;
  #orderReason = '';
  #restarts = 0;
  #lastExit = '';
  #isFrozen = false;
  #isGone = false;
  #state: ModuleState = { kind: 'pending', reason: '' };
  #since: number;

  constructor(config: ModuleConfig, options: SupervisorOptions) {
    const { clock, timing, random } = options;
    this.name = config.name;
    this.#options = options;
    this.#config = this.#shown = config;
    this.#since = clock.now();
    this.#retry = new RetryDelay(clock, random, timing.healthyMs);
    this.#versions = new ModuleVersions({
      ...options,
      isReady: () => this.running !== undefined,
      onFresh: () => this.#retry.cancel(true),
      onChange: () => this.#step(),
    });
  }

  /** Starts supervising. */
  open(): void {
    this.#step();
  }

  /** The process that may be called; undefined if there is none. */
  get running(): RunningModule | undefined {
    const start = this.#start;
    return start === undefined || start.isLost || start.isStopping ? undefined : start.module;
  }

  /** Id of the process and its group; 0 if there is none. */
  get pid(): number {
    return this.#start?.pid ?? 0;
  }

  /** Undefined if it is no longer configured; it may still be stopping. */
  get config(): ModuleConfig | undefined {
    return this.#config;
  }

  get absence(): ModuleAbsence | undefined {
    return this.running === undefined ? absenceOf(this.name, this.#state) : undefined;
  }

  get status(): ModuleStatus {
    const { moduleId, type, version, notes, logLevel } = this.#shown;
    const start = this.#start;
    return {
      name: this.name,
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
      isolation: start?.isolation ?? '',
      restartHint: start === undefined ? '' : restartHint(start.config.logLevel, logLevel),
    };
  }

  /**
   * Sets another configuration.
   * @param restart why a new process is needed; undefined if the running one may stay
   */
  configure(config: ModuleConfig, restart: string | undefined): void {
    const before = this.#config;
    this.#config = this.#shown = config;
    const isOther = restart !== undefined || before === undefined;
    if (isOther) this.#demand(restart ?? 'configured again');
    if (isOther || needsOtherFiles(before, config)) this.#versions.unfollow(!isOther);
    this.#step();
    this.#options.onChange(false);
  }

  /** Removes the module from the configuration. */
  remove(): void {
    if (this.#config === undefined) return;
    this.#config = undefined;
    this.#versions.unfollow(false);
    this.#step();
  }

  /** Starts nothing more; a running process continues. */
  freeze(): void {
    this.#isFrozen = true;
    this.#retry.cancel(false);
  }

  /** Ends the module. Settles when all its processes have ended. */
  async close(): Promise<void> {
    this.freeze();
    if (this.#isGone) return;
    const gone = this.#nextOutcome((outcome) => outcome === 'gone');
    this.remove();
    await gone;
  }

  /**
   * Ends its process, if there is one, and starts it at once, with waiting newer files if there are any. Settles when
   * it is ready.
   * @throws {ArmatureError} `module.disabled`; `module.failed` if it does not become ready
   */
  async restart(): Promise<void> {
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) throw refusedStart(this.name, obstacle);
    this.#options.logger.info('a restart was asked for');
    const { clock } = this.#options;
    await withTimeout(() => this.#versions.refresh(), { clock, ms: REFRESH_MS, onTimeout: () => undefined });
    if (this.#config === undefined || this.#isFrozen) {
      throw refusedStart(this.name, { kind: 'stopping', reason: 'is being removed' });
    }
    this.#versions.takeOffered();
    this.#demand('a restart was asked for');
    const outcome = this.#nextOutcome(() => true);
    this.#step();
    if ((await outcome) !== 'ready') {
      throw new ArmatureError('module.failed', `Module ${this.name} ${this.#state.reason}.`);
    }
  }

  /** Requests a new process in place of the running one; ends any wait. */
  #demand(reason: string): void {
    this.#order++;
    this.#orderReason = reason;
    this.#retry.cancel(true);
  }

  #obstacle(): ModuleState | undefined {
    return this.#config === undefined ? undefined : blockedState(this.#config, this.#options.refusal);
  }

  /** Moves the actual state one step towards the desired one; each event triggers the next step. */
  #step(): void {
    if (this.#isGone) return;
    const config = this.#config;
    const obstacle = this.#obstacle();
    if (config !== undefined && obstacle === undefined) this.#versions.follow(config);
    const start = this.#start;
    if (start !== undefined) this.#stepWithProcess(start, obstacle);
    else if (config === undefined) this.#go();
    else if (obstacle !== undefined) {
      this.#retry.cancel(true);
      this.#settle(obstacle);
    } else if (!this.#retry.isWaiting && !this.#isFrozen) this.#stepWithout(config);
    else this.#options.onChange(false);
  }

  #stepWithProcess(start: Start, obstacle: ModuleState | undefined): void {
    const why = this.#whyStop(start, obstacle);
    if (why === undefined || start.isStopping || start.isLost) {
      this.#options.onChange(false);
      return;
    }
    start.isStopping = true;
    this.#versions.ended();
    this.#set({ kind: 'stopping', reason: why });
    // When the machine stops, all its resources are closed already or will not be closed.
    void start.run.stop(this.#isFrozen ? LATE_RELEASE_MS : this.#options.timing.releaseMs);
  }

  #stepWithout(config: ModuleConfig): void {
    const { files, missing, update } = this.#versions;
    if (files !== undefined) this.#begin(config, files);
    else if (missing !== '') this.#settle(failedState(`has no program to run: ${missing}`));
    else this.#set({ kind: 'pending', reason: pendingReason(update) });
  }

  #whyStop(start: Start, obstacle: ModuleState | undefined): string | undefined {
    if (this.#config === undefined)
      return this.#isFrozen ? 'the machine is stopping' : 'removed from the configuration';
    if (obstacle !== undefined) return obstacle.reason || obstacle.kind;
    if (start.order !== this.#order) return this.#orderReason;
    const { files } = this.#versions;
    if (files === undefined || files === start.files) return undefined;
    return `version ${files.version || 'on disk'} takes its place`;
  }

  #begin(config: ModuleConfig, files: ModuleFiles): void {
    const start: Start = {
      run: this.#options.startRun(config, files, {
        onProcess: (pid, isolation) => {
          start.pid = pid;
          start.isolation = isolation;
          this.#options.onChange(false);
        },
        onReady: (module) => this.#ready(start, module),
        onSilent: (reason) => this.#silent(start, reason),
        onLost: (failure) => this.#lost(start, failure),
        onGone: (end) => this.#ended(start, end),
      }),
      config,
      files,
      order: this.#order,
      pid: 0,
      isolation: '',
      module: undefined,
      isLost: false,
      isStopping: false,
    };
    this.#start = start;
    const { attempts } = this.#retry;
    this.#set({ kind: 'starting', reason: attempts === 0 ? '' : `try ${attempts + 1}` });
  }

  #ready(start: Start, module: RunningModule): void {
    start.module = module;
    if (start.isStopping) return;
    this.#retry.ready();
    this.#versions.ready(start.files);
    this.#settle({ kind: 'ready', reason: '' });
  }

  #silent(start: Start, reason: string): void {
    if (start.isStopping || start.isLost) return;
    this.#state = { kind: 'ready', reason };
    this.#options.onChange(false);
  }

  #lost(start: Start, reason: string): void {
    start.isLost = true;
    const attempts = this.#retry.attempts + 1;
    if (!start.isStopping) this.#set({ kind: 'failed', reason, attempts, nextRetryAt: undefined });
  }

  #ended(start: Start, { failure, lastExit }: RunEnd): void {
    this.#start = undefined;
    this.#retry.ended();
    this.usage = undefined;
    if (lastExit !== '') this.#lastExit = lastExit;
    if (failure !== undefined && !start.isStopping) this.#failed(start, failure);
    // Before the next step, which may be the removal: this is the last status reported.
    this.#options.onChange(false);
    this.#step();
  }

  #failed(start: Start, reason: string): void {
    const { clock, logger } = this.#options;
    if (start.pid !== 0) this.#restarts++;
    if (this.#versions.failed(start.files, reason)) {
      const back = this.#versions.files?.version ?? '';
      logger.warn(`version ${start.files.version} is not kept, back to ${back}: it ${reason}`);
      this.#retry.cancel(true);
      return;
    }
    // A newer request came meanwhile: it is handled next.
    if (start.order !== this.#order || this.#isFrozen || this.#config === undefined) return;
    const delayMs = this.#retry.failed(start.module !== undefined);
    const { attempts } = this.#retry;
    if (delayMs > 0) this.#retry.wait(delayMs, () => this.#step());
    this.#settle({ kind: 'failed', reason, attempts, nextRetryAt: clock.now() + delayMs });
  }

  #go(): void {
    this.#isGone = true;
    this.#retry.cancel(false);
    this.#options.onGone();
    this.#outcomes.emit('gone');
  }

  /** Sets the state that a start led to, and notifies those who wait for it. */
  #settle(state: ModuleState): void {
    this.#set(state);
    this.#outcomes.emit(state.kind === 'ready' ? 'ready' : 'failed');
  }

  #set(state: ModuleState): void {
    if (state.kind !== this.#state.kind) this.#since = this.#options.clock.now();
    this.#state = state;
    this.#options.onChange(true);
  }

  #nextOutcome(isAwaited: (outcome: Outcome) => boolean): Promise<Outcome> {
    return new Promise((resolve) => {
      const unsubscribe = this.#outcomes.on((outcome) => {
        if (!isAwaited(outcome)) return;
        unsubscribe();
        resolve(outcome);
      });
    });
  }
}

/** Whether two configurations may need different files although the process could stay the same. */
function needsOtherFiles(from: ModuleConfig, to: ModuleConfig): boolean {
  const keys = ['reload_path', 'reload_enabled'] as const;
  return from.version !== to.version || keys.some((key) => from.raw[key] !== to.raw[key]);
}
