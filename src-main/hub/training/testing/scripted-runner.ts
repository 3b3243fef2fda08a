import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onAbort } from '../../../base/async/abort.ts';
import type { TrainingEvents, TrainingResult, TrainingRunner, TrainingTask } from '../runner/training-runner.ts';

/** A task under way, for a test to end. */
export interface ScriptedRun {
  readonly task: TrainingTask;
  readonly events: TrainingEvents;
  readonly signal: AbortSignal;
  /** Ends it with a model whose folder has this card. */
  train(card?: object): Promise<void>;
  /** Ends it with a model of these files. */
  leave(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  end(result: TrainingResult): void;
}

/** A runner in memory: a test says what becomes of each task. */
export class ScriptedRunner implements TrainingRunner {
  readonly kind = 'scripted';
  readonly runsRegistryScripts = true;
  readonly runs: ScriptedRun[] = [];
  /** Thrown by {@link check} where it is set. */
  trouble: Error | undefined;
  readonly #begun: ((run: ScriptedRun) => void)[] = [];
  #told = 0;

  check(): Promise<void> {
    return this.trouble === undefined ? Promise.resolve() : Promise.reject(this.trouble);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** The next task that begins, or that has begun and was not asked for. */
  next(): Promise<ScriptedRun> {
    const run = this.runs[this.#told++];
    if (run !== undefined) return Promise.resolve(run);
    return new Promise((resolve) => this.#begun.push(resolve));
  }

  run(task: TrainingTask, events: TrainingEvents, signal: AbortSignal): Promise<TrainingResult> {
    return new Promise((resolve) => {
      const run: ScriptedRun = {
        task,
        events,
        signal,
        end: resolve,
        train: (card = { metrics: { f1: 1 } }) =>
          run.leave({
            'model.onnx': Buffer.from('080812046e6f6e65', 'hex'),
            'labels.txt': 'bad\ngood\n',
            'model.json': JSON.stringify(card),
          }),
        leave: async (files) => {
          const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-model-'));
          for (const [name, content] of Object.entries(files)) {
            await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
            await writeFile(path.join(folder, name), content);
          }
          resolve({ kind: 'trained', folder, remove: () => rm(folder, { recursive: true }) });
        },
      };
      onAbort(signal, () => resolve({ kind: 'ended' }));
      this.runs.push(run);
      this.#begun.shift()?.(run);
    });
  }
}
