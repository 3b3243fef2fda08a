import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../../base/errors.ts';
import type { TrainingSettings } from '../../training-settings.ts';
import { prepareRunFolder, SUPERVISOR, TEMPORARY } from '../script/run-folder.ts';
import { ScriptOutput } from '../script/script-output.ts';
import { originOf, resultOf } from '../script/script-result.ts';
import { builtInScript, type TrainingScript } from '../script/training-script.ts';
import type { ScriptOrigin, TrainingEvents, TrainingResult, TrainingRunner, TrainingTask } from '../training-runner.ts';
import { requirePython } from './python.ts';
import { runSupervised } from './supervised-process.ts';

export interface LocalRunnerOptions {
  /** Contains the folders of runs. Created if it does not exist. */
  readonly folder: string;
  readonly settings: () => Promise<TrainingSettings>;
  readonly clock: Clock;
  /** `-untrusted-env`: no program is started. */
  readonly isUntrusted: boolean;
  /** Default: the hub's own. */
  readonly script?: () => Promise<TrainingScript>;
  /** Time between SIGTERM and SIGKILL. Default: 10 s. */
  readonly graceSeconds?: number;
}

const DEFAULT_GRACE_S = 10;
const MiB = 2 ** 20;

/** Runs trainings as processes on this computer, each in a folder of its own. They end with the hub. */
export class LocalRunner implements TrainingRunner {
  readonly #options: LocalRunnerOptions;

  constructor(options: LocalRunnerOptions) {
    this.#options = options;
  }

  kind(): Promise<string> {
    return Promise.resolve('local');
  }

  /** Always false: local trainings end with the hub. */
  holds(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async check(origin: ScriptOrigin = 'hub'): Promise<void> {
    const { isUntrusted, settings, script = builtInScript } = this.#options;
    if (isUntrusted) {
      throw new ArmatureError(
        'training.unavailable',
        'Nothing is trained here: the server runs with -untrusted-env and starts no programs. Train with a hub on another computer, or start it without this option.',
      );
    }
    if (process.platform !== 'linux') {
      throw new ArmatureError(
        'training.unavailable',
        `Nothing is trained here: limits of a training need Linux, and this is ${process.platform}. Train with a hub on another computer.`,
      );
    }
    await requirePython((await settings()).python, origin === 'hub' ? (await script()).packages : []);
  }

  async start(): Promise<void> {
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async run(task: TrainingTask, events: TrainingEvents, signal: AbortSignal): Promise<TrainingResult> {
    const folder = path.join(this.#options.folder, task.jobId);
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    let isKept = false;
    try {
      await this.check(originOf(task));
      await remove();
      const result = await this.#runIn(folder, task, events, signal);
      isKept = result.kind === 'trained';
      return result.kind === 'trained' ? { ...result, remove } : result;
    } catch (thrown) {
      const { code, message } = toArmatureError(thrown);
      return { kind: 'failed', code, message };
    } finally {
      // What cannot be removed now is removed at the next start.
      if (!isKept) await remove().catch(() => undefined);
    }
  }

  async #runIn(
    folder: string,
    task: TrainingTask,
    events: TrainingEvents,
    signal: AbortSignal,
  ): Promise<TrainingResult> {
    const { clock, settings, script = builtInScript, graceSeconds = DEFAULT_GRACE_S } = this.#options;
    const limits = await settings();
    const { python, cpus, memoryMb, diskMb, timeLimitMinutes } = limits;
    const { command, cwd, environment } = await prepareRunFolder({
      folder,
      task,
      script,
      python,
      maxBytes: diskMb * MiB,
      threads: Math.min(cpus, os.availableParallelism()),
    });
    if (signal.aborted) return { kind: 'ended' };

    const output = new ScriptOutput(events);
    const supervision = {
      command,
      memory_bytes: memoryMb * MiB,
      disk_bytes: diskMb * MiB,
      folder,
      ...(cwd === undefined ? {} : { cwd }),
      time_s: timeLimitMinutes * 60,
      grace_s: graceSeconds,
      cpus,
    };
    const temporary = path.join(folder, TEMPORARY);
    const variables = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: temporary,
      TMPDIR: temporary,
      LANG: 'C.UTF-8',
      ...environment,
    };
    const supervisor = path.join(folder, SUPERVISOR);
    const onLine = output.line.bind(output);
    const end = await runSupervised(
      { python, supervisor, supervision, folder, environment: variables, onLine, clock },
      signal,
    );
    if (end.reason === 'canceled' || signal.aborted) return { kind: 'ended' };
    return resultOf(end, output.failure, folder, limits, originOf(task));
  }
}
