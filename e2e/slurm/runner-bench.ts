import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { ModelType } from '../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { systemClock } from '../../src-main/base/clock.ts';
import type { Epoch } from '../../src-main/hub/training/jobs/training-jobs.ts';
import { SlurmRunner } from '../../src-main/hub/training/runner/slurm/slurm-runner.ts';
import type { TrainingResult, TrainingState } from '../../src-main/hub/training/runner/training-runner.ts';
import { defaultSettings, type TrainingSettings } from '../../src-main/hub/training/training-settings.ts';
import { until } from '../harness/until.ts';

/** The beginning of each script. */
const PRELUDE = `
import os, signal, subprocess, sys, time
arguments = dict(word[2:].split("=", 1) for word in sys.argv[1:])
def model():
    with open(arguments["model_output_directory"] + "/model.onnx", "w") as file:
        file.write("model")
def say(text):
    print(text, flush=True)
`;
/** Long, because the computer may be busy. */
const LONGEST_MS = 120_000;

export interface RunnerBenchOptions {
  readonly shared: string;
  readonly settings?: Partial<TrainingSettings>;
}

/** A runner with its own folder, like a hub's, and one task for it. */
export class RunnerBench {
  readonly lines: string[] = [];
  readonly epochs: Epoch[] = [];
  readonly states: TrainingState[] = [];
  readonly cancel = new AbortController();
  readonly leave = new AbortController();
  readonly #folder: string;
  readonly #options: RunnerBenchOptions;
  readonly #jobId: string;
  #runner: SlurmRunner | undefined;

  private constructor(folder: string, jobId: string, options: RunnerBenchOptions) {
    this.#folder = folder;
    this.#jobId = jobId;
    this.#options = options;
  }

  static async open(options: RunnerBenchOptions): Promise<RunnerBench> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-slurm-runner-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return new RunnerBench(folder, path.basename(folder), options);
  }

  /** The task's folder in the shared folder. */
  get folder(): string {
    return path.join(this.#options.shared, this.name);
  }

  /** The name of its job in Slurm. */
  get name(): string {
    return `armature-${this.#jobId}`;
  }

  /** File in which the runner keeps the state that it needs after a restart. */
  get record(): string {
    return path.join(this.#folder, `${this.#jobId}.json`);
  }

  get state(): TrainingState | undefined {
    return this.states.at(-1);
  }

  /** A runner as after a restart of the hub, for the same task: it does not repeat earlier reports. */
  again(): RunnerBench {
    return new RunnerBench(this.#folder, this.#jobId, this.#options);
  }

  runner(source = ''): SlurmRunner {
    const { shared, settings = {} } = this.#options;
    const slurm = { sharedFolder: shared, partition: '', account: '', options: [] };
    const usual = { ...defaultSettings(), cpus: 1, memoryMb: 256, runner: 'slurm', slurm } as const;
    this.#runner ??= new SlurmRunner({
      folder: this.#folder,
      settings: () => Promise.resolve({ ...usual, ...settings }),
      clock: systemClock,
      isUntrusted: false,
      graceSeconds: 2,
      times: { askMs: 300, lookMs: 100, arrivalMs: 1_500 },
      script: () => Promise.resolve({ files: new Map([['train.py', PRELUDE + source]]), packages: [] }),
    });
    return this.#runner;
  }

  run(source = ''): Promise<TrainingResult> {
    const task = {
      jobId: this.#jobId,
      modelType: ModelType.OBJECT_DETECTION,
      labels: ['screw', "a nut's"],
      snapshot: 'd@1',
      writeDataset: async (folder: string) => {
        await mkdir(folder);
        await writeFile(path.join(folder, 'dataset.jsonl'), '{}\n');
      },
    };
    const events = {
      log: (level: string, line: string) => void this.lines.push(`${level} ${line}`),
      epoch: (epoch: Epoch) => void this.epochs.push(epoch),
      state: (state: TrainingState) => void this.states.push(state),
      stored: () => Promise.resolve(),
    };
    return this.runner(source).run(task, events, this.cancel.signal, this.leave.signal);
  }

  /** Waits until the script has printed a line. */
  async says(line: string): Promise<void> {
    await until(`the log has "${line}"`, () => this.lines.includes(`info ${line}`), LONGEST_MS, 50);
  }

  /** Waits until the latest state matches. */
  async stands(what: string, is: (state: TrainingState) => boolean): Promise<void> {
    await until(what, () => this.state !== undefined && is(this.state), LONGEST_MS, 50);
  }

  /** Leftovers of runs in the shared folder, and in the hub's folder. */
  async left(): Promise<readonly string[]> {
    return [...(await readdir(this.#options.shared)), ...(await readdir(this.#folder))];
  }
}
