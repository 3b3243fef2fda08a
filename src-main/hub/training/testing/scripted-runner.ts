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
  /** Jobs that outlived an earlier run of the hub. */
  readonly held = new Set<string>();
  readonly runs: ScriptedRun[] = [];
  /** Thrown by {@link check} where it is set. */
  trouble: Error | undefined;
  readonly #begun: ((run: ScriptedRun) => void)[] = [];
  #told = 0;

  check(): Promise<void> {
    return this.trouble === undefined ? Promise.resolve() : Promise.reject(this.trouble);
  }

  kind(): Promise<string> {
    return Promise.resolve('scripted');
  }

  holds(jobId: string): Promise<boolean> {
    return Promise.resolve(this.held.has(jobId));
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

  /** Tasks that are begun while this is set outlive the hub, and take their time to be canceled. */
  isLasting = false;

  run(task: TrainingTask, events: TrainingEvents, signal: AbortSignal, leaving?: AbortSignal): Promise<TrainingResult> {
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
      if (this.isLasting && leaving !== undefined) onAbort(leaving, () => resolve({ kind: 'left' }));
      else onAbort(signal, () => resolve({ kind: 'ended' }));
      this.runs.push(run);
      this.#begun.shift()?.(run);
    });
  }
}
