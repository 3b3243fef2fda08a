import os from 'node:os';
import path from 'node:path';
import { ArmatureError } from '../../base/errors.ts';
import { readSetting } from '../storage/settings.ts';
import type { Store } from '../storage/store.ts';
import { requireSlurmSettings, type SlurmSettings } from './slurm-settings.ts';

const NAME = 'training';
const MiB = 2 ** 20;

/** How training jobs run. */
export interface TrainingSettings {
  readonly jobsAtOnce: number;
  /** Path of the Python interpreter. */
  readonly python: string;
  /** Cores of the processor that a job may use. */
  readonly cpus: number;
  readonly memoryMb: number;
  /** Limit for the files of a job, including its copy of the dataset. */
  readonly diskMb: number;
  readonly timeLimitMinutes: number;
  readonly runner: RunnerKind;
  /** For the runner `slurm`. */
  readonly slurm: SlurmSettings;
}

/** Where jobs run. */
export type RunnerKind = 'local' | 'slurm';
const runnerKinds: readonly string[] = ['local', 'slurm'] satisfies RunnerKind[];

/** Defaults: half of the computer's cores and memory, so that its other work continues. */
export function defaultSettings(cores = os.availableParallelism(), memoryBytes = os.totalmem()): TrainingSettings {
  return {
    jobsAtOnce: 1,
    python: '/usr/bin/python3',
    cpus: Math.max(1, Math.floor(cores / 2)),
    memoryMb: Math.max(1_024, Math.min(16_384, Math.floor(memoryBytes / 2 / MiB))),
    diskMb: 10_240,
    timeLimitMinutes: 12 * 60,
    runner: 'local',
    slurm: { sharedFolder: '', partition: '', account: '', options: [] },
  };
}

const limits: Readonly<
  Record<Exclude<keyof TrainingSettings, 'python' | 'runner' | 'slurm'>, readonly [number, number]>
> = {
  jobsAtOnce: [1, 64],
  cpus: [1, 1_024],
  // With less, numerical libraries wait for memory forever instead of failing.
  memoryMb: [1_024, 4_194_304],
  diskMb: [16, 67_108_864],
  timeLimitMinutes: [1, 60 * 24 * 30],
};

/** The settings, with defaults for the rest. Read from the store each time, because they are rarely needed. */
export async function readSettings({ db }: Store): Promise<TrainingSettings> {
  const text = await readSetting(db, NAME);
  return { ...defaultSettings(), ...(text === undefined ? {} : (JSON.parse(text) as Partial<TrainingSettings>)) };
}

/** Stores the settings. What is left out gets its default. @throws {ArmatureError} `call.bad_argument` */
export async function writeSettings(store: Store, settings: Partial<TrainingSettings>): Promise<void> {
  for (const [name, [least, most]] of Object.entries(limits)) {
    const value = settings[name as keyof typeof limits];
    if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) continue;
    throw new ArmatureError(
      'call.bad_argument',
      `"${name}" is ${value}; allowed are whole numbers from ${least} to ${most}.`,
    );
  }
  const { python } = settings;
  if (python !== undefined && !path.isAbsolute(python)) {
    throw new ArmatureError(
      'call.bad_argument',
      `"python" is "${python.slice(0, 200)}": give the whole path of the program, for example /usr/bin/python3.`,
    );
  }
  const { runner = 'local', slurm } = settings;
  if (!runnerKinds.includes(runner)) {
    throw new ArmatureError(
      'call.bad_argument',
      `"runner" is "${runner.slice(0, 200)}"; allowed are ${runnerKinds.join(' and ')}.`,
    );
  }
  requireSlurmSettings(slurm, runner === 'slurm');
  await store.transaction(async (tx) => {
    await tx.deleteFrom('settings').where('name', '=', NAME).execute();
    await tx
      .insertInto('settings')
      .values({ name: NAME, value: JSON.stringify(settings) })
      .execute();
  });
}
