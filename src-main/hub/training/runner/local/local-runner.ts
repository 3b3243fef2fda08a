import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { MODEL_LABELS_FILE, MODEL_META_FILE } from '../../../../../proto/config/model-meta.ts';
import { modelKinds } from '../../model-types.ts';
import type { Clock } from '../../../../base/clock.ts';
import { ArmatureError, toArmatureError, type ErrorCode } from '../../../../base/errors.ts';
import { DATASET_FILE } from '../../../labelling/write-dataset.ts';
import { filesIn } from '../../../registry/models/pack-folder.ts';
import type { TrainingSettings } from '../../training-settings.ts';
import type { ScriptOrigin, TrainingEvents, TrainingResult, TrainingRunner, TrainingTask } from '../training-runner.ts';
import { requirePython } from './python.ts';
import { scriptMessage } from './script-message.ts';
import { runSupervised, type SupervisedEnd } from './supervised-process.ts';
import { builtInScript, supervisorFile, writeFiles, type TrainingScript } from './training-script.ts';

export interface LocalRunnerOptions {
  /** Runs have their folders in it; made where it is not there. */
  readonly folder: string;
  readonly settings: () => Promise<TrainingSettings>;
  readonly clock: Clock;
  /** `-untrusted-env`: no program is started. */
  readonly isUntrusted: boolean;
  /** The hub's own where it is left out. */
  readonly script?: () => Promise<TrainingScript>;
  /** Between being asked to end and being killed; 10 s where it is left out. */
  readonly graceSeconds?: number;
}

const GRACE_S = 10;
const MiB = 2 ** 20;
const OUTPUT = 'model';

/** Trains as processes of this computer, each in a folder of its own. They end with the hub. */
export class LocalRunner implements TrainingRunner {
  readonly kind = 'local';
  readonly runsRegistryScripts = true;
  readonly #options: LocalRunnerOptions;

  constructor(options: LocalRunnerOptions) {
    this.#options = options;
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

  /** What an earlier run of the hub left has ended with it. */
  async start(): Promise<void> {
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async run(task: TrainingTask, events: TrainingEvents, signal: AbortSignal): Promise<TrainingResult> {
    const folder = path.join(this.#options.folder, task.jobId);
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    let isKept = false;
    try {
      await this.check(task.script === undefined ? 'hub' : 'registry');
      await remove();
      const result = await this.#runIn(folder, task, events, signal);
      isKept = result.kind === 'trained';
      return result.kind === 'trained' ? { ...result, remove } : result;
    } catch (thrown) {
      const { code, message } = toArmatureError(thrown);
      return { kind: 'failed', code, message };
    } finally {
      // What cannot be removed now is at the next start.
      if (!isKept) await remove().catch(() => undefined);
    }
  }

  async #runIn(
    folder: string,
    task: TrainingTask,
    events: TrainingEvents,
    signal: AbortSignal,
  ): Promise<TrainingResult> {
    const { clock, settings, script = builtInScript, graceSeconds = GRACE_S } = this.#options;
    const { python, cpus, memoryMb, diskMb, timeLimitMinutes } = await settings();
    const place = (name: string): string => path.join(folder, name);
    await writeFiles(folder, await supervisorFile());
    const root = task.script === undefined ? place('script') : await task.script.unpack(place('script'), diskMb * MiB);
    if (task.script === undefined) await writeFiles(root, (await script()).files);
    for (const name of [OUTPUT, 'temporary']) await mkdir(place(name), { mode: 0o700 });
    await task.writeDataset(place('dataset'));
    if (signal.aborted) return { kind: 'ended' };

    let failure: string | undefined;
    const onLine = (stream: 'out' | 'err', line: string): void => {
      const message = stream === 'out' ? scriptMessage(line) : undefined;
      if (message === undefined) events.log(stream === 'out' ? 'info' : 'error', line);
      else if (message.kind === 'progress') events.epoch(message.epoch);
      else failure = message.message;
    };
    const files = [`--dataset_file=${place(`dataset/${DATASET_FILE}`)}`, `--model_output_directory=${place(OUTPUT)}`];
    const command =
      task.script === undefined
        ? [
            ...[python, '-u', '-B', place('script/train.py'), ...files],
            `--labels=${JSON.stringify(task.labels)}`,
            `--model_type=${modelKinds.get(task.modelType) ?? ''}`,
            `--snapshot=${task.snapshot}`,
            `--threads=${Math.min(cpus, os.availableParallelism())}`,
          ]
        : [
            ...[python, '-u', '-B', '-m', 'model.training', ...files],
            ...Object.entries(task.script.arguments).map(([name, value]) => `--${name}=${value}`),
          ];
    const supervision = {
      command,
      memory_bytes: memoryMb * MiB,
      disk_bytes: diskMb * MiB,
      folder,
      // Paths of pictures are relative to their file.
      ...(task.script === undefined ? {} : { cwd: place('dataset') }),
      time_s: timeLimitMinutes * 60,
      grace_s: graceSeconds,
      cpus,
    };
    const environment = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: place('temporary'),
      TMPDIR: place('temporary'),
      LANG: 'C.UTF-8',
      ...(task.script === undefined ? {} : { PYTHONPATH: root }),
    };
    const end = await runSupervised(
      { python, supervisor: place('supervise.py'), supervision, folder, environment, onLine, clock },
      signal,
    );
    if (end.reason === 'canceled' || signal.aborted) return { kind: 'ended' };
    if (end.reason === 'exited' && end.status === 0) {
      const isThere =
        task.script === undefined ? existsSync(place(`${OUTPUT}/model.onnx`)) : await hasModel(place(OUTPUT));
      if (isThere) return { kind: 'trained', folder: place(OUTPUT), remove: () => Promise.resolve() };
      if (task.script === undefined) {
        return failed('internal.bug', 'The script ended well and left no model.onnx: look at the log of the job.');
      }
      return failed(
        'call.failed_precondition',
        'The script ended well and left no model in "model_output_directory": write the model into that folder, and upload the script as a new version.',
      );
    }
    return failureOf(end, failure, { memoryMb, diskMb, timeLimitMinutes });
  }
}

/** Whether there is more than what describes a model. */
async function hasModel(folder: string): Promise<boolean> {
  const beside: readonly string[] = [MODEL_META_FILE, MODEL_LABELS_FILE];
  return (await filesIn(folder)).some((file) => !beside.includes(file));
}

function failed(code: ErrorCode, message: string): TrainingResult {
  return { kind: 'failed', code, message };
}

/** Why a script ended that did not end well, with the next step. */
function failureOf(
  { reason, status, signal, peak_bytes: peakBytes }: SupervisedEnd,
  told: string | undefined,
  { memoryMb, diskMb, timeLimitMinutes }: Pick<TrainingSettings, 'memoryMb' | 'diskMb' | 'timeLimitMinutes'>,
): TrainingResult {
  const settings = 'in the settings of training';
  switch (reason) {
    case 'time':
      return failed(
        'call.deadline_exceeded',
        `The training took longer than ${timeLimitMinutes} minutes: train on fewer pictures, or allow more ${settings}.`,
      );
    case 'memory':
      return failed(
        'call.too_large',
        `The training used more than ${memoryMb} MB of memory: train on fewer pictures, or allow more ${settings}.`,
      );
    case 'disk':
      return failed(
        'store.full',
        `The training wrote more than ${diskMb} MB: train on fewer pictures, or allow more ${settings}.`,
      );
    case 'unsupervised':
      return failed(
        'internal.bug',
        `The supervisor of the training ended (${signal === null ? `exit code ${status ?? 0}` : 'by a signal'}): look at the log of the job.`,
      );
    default:
      break;
  }
  if (told !== undefined) return failed('call.failed_precondition', told);
  if (signal !== null) {
    const name =
      Object.entries(os.constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`;
    const used = `it used up to ${Math.ceil(peakBytes / MiB)} MB of memory`;
    return failed('internal.bug', `The script was ended by ${name}; ${used}. Look at the log of the job.`);
  }
  return failed('internal.bug', `The script ended with exit code ${status ?? 0}: look at the log of the job.`);
}
