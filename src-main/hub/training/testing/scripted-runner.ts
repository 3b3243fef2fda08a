import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onAbort } from '../../../base/async/abort.ts';
import type { TrainingEvents, TrainingResult, TrainingRunner, TrainingTask } from '../runner/training-runner.ts';

/** A task in progress, which the test ends. */
export interface ScriptedRun {
  readonly task: TrainingTask;
  readonly events: TrainingEvents;
  readonly signal: AbortSignal;
  /** Ends it with a model that has this card. */
  train(card?: object): Promise<void>;
  /** Ends it with a model of these files. */
  leave(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  end(result: TrainingResult): void;
}

/** A runner in memory. The test decides the result of each task. */
export class ScriptedRunner implements TrainingRunner {
  /** Jobs that outlived an earlier run of the hub. */
  readonly held = new Set<string>();
  readonly runs: ScriptedRun[] = [];
  /** Thrown by {@link check} if it is set. */
  trouble: Error | undefined;
  readonly #begun: ((run: ScriptedRun) => void)[] = [];
  #nextIndex = 0;

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

  /** The next task that was started and not yet returned by this; waits for one if there is none. */
  next(): Promise<ScriptedRun> {
    const run = this.runs[this.#nextIndex++];
    if (run !== undefined) return Promise.resolve(run);
    return new Promise((resolve) => this.#begun.push(resolve));
  }

  /** Tasks that start while this is set outlive the hub, and do not end when they are canceled. */
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
