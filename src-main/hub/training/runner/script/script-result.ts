import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MODEL_LABELS_FILE, MODEL_META_FILE } from '../../../../../proto/config/model-meta.ts';
import type { ErrorCode } from '../../../../base/errors.ts';
import type { TrainingSettings } from '../../training-settings.ts';
import { filesIn } from '../../../registry/models/pack-folder.ts';
import type { ScriptOrigin, TrainingResult, TrainingTask } from '../training-runner.ts';
import { OUTPUT } from './run-folder.ts';
import type { SupervisedEnd } from './supervision.ts';

/** The limits of a run. */
export type RunLimits = Pick<TrainingSettings, 'memoryMb' | 'diskMb' | 'timeLimitMinutes'>;

const MiB = 2 ** 20;
const SETTINGS = 'in the settings of training';

/** Whose script a task runs. */
export function originOf({ script }: TrainingTask): ScriptOrigin {
  return script === undefined ? 'hub' : 'registry';
}

/**
 * The result of a script that ended by itself or was ended by its supervisor.
 * @param reported the reason of failure that the script reported
 * @param folder of the run
 */
export async function resultOf(
  end: SupervisedEnd,
  reported: string | undefined,
  folder: string,
  limits: RunLimits,
  origin: ScriptOrigin,
): Promise<TrainingResult> {
  if (end.reason !== 'exited' || end.status !== 0) return failureOf(end, reported, limits);
  const output = path.join(folder, OUTPUT);
  if (origin === 'hub' ? existsSync(path.join(output, 'model.onnx')) : await hasModel(output)) {
    return { kind: 'trained', folder: output, remove: () => Promise.resolve() };
  }
  if (origin === 'hub') {
    return failed('internal.bug', 'The script ended well and left no model.onnx: look at the log of the job.');
  }
  return failed(
    'call.failed_precondition',
    'The script ended well and left no model in "model_output_directory": write the model into that folder, and upload the script as a new version.',
  );
}

/** Whether a folder has more than files that describe a model. */
async function hasModel(folder: string): Promise<boolean> {
  const beside: readonly string[] = [MODEL_META_FILE, MODEL_LABELS_FILE];
  return (await filesIn(folder)).some((file) => !beside.includes(file));
}

export function failed(code: ErrorCode, message: string): TrainingResult {
  return { kind: 'failed', code, message };
}

export function tookTooLong({ timeLimitMinutes }: RunLimits): TrainingResult {
  return failed(
    'call.deadline_exceeded',
    `The training took longer than ${timeLimitMinutes} minutes: train on fewer pictures, or allow more ${SETTINGS}.`,
  );
}

export function tookTooMuchMemory({ memoryMb }: RunLimits): TrainingResult {
  return failed(
    'call.too_large',
    `The training used more than ${memoryMb} MB of memory: train on fewer pictures, or allow more ${SETTINGS}.`,
  );
}

/** Why a script failed, with the next step. */
function failureOf(
  { reason, status, signal, peak_bytes: peakBytes }: SupervisedEnd,
  reported: string | undefined,
  limits: RunLimits,
): TrainingResult {
  switch (reason) {
    case 'time':
      return tookTooLong(limits);
    case 'memory':
      return tookTooMuchMemory(limits);
    case 'disk':
      return failed(
        'store.full',
        `The training wrote more than ${limits.diskMb} MB: train on fewer pictures, or allow more ${SETTINGS}.`,
      );
    case 'unsupervised':
      return failed(
        'internal.bug',
        `The supervisor of the training ended (${signal === null ? `exit code ${status ?? 0}` : 'by a signal'}): look at the log of the job.`,
      );
    default:
      break;
  }
  if (reported !== undefined) return failed('call.failed_precondition', reported);
  if (signal !== null) {
    const name =
      Object.entries(os.constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`;
    const used = `it used up to ${Math.ceil(peakBytes / MiB)} MB of memory`;
    return failed('internal.bug', `The script was ended by ${name}; ${used}. Look at the log of the job.`);
  }
  return failed('internal.bug', `The script ended with exit code ${status ?? 0}: look at the log of the job.`);
}
