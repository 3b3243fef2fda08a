import type { RunnerKind } from '../training-settings.ts';
import type { ScriptOrigin, TrainingEvents, TrainingResult, TrainingRunner, TrainingTask } from './training-runner.ts';

/** Runs each task with the runner that the settings name when it starts, and follows it to its end there. */
export class ChosenRunner implements TrainingRunner {
  readonly #runners: Readonly<Record<RunnerKind, TrainingRunner>>;
  readonly #chosen: () => Promise<RunnerKind>;

  constructor(runners: Readonly<Record<RunnerKind, TrainingRunner>>, chosen: () => Promise<RunnerKind>) {
    this.#runners = runners;
    this.#chosen = chosen;
  }

  kind(): Promise<string> {
    return this.#chosen();
  }

  async check(origin?: ScriptOrigin): Promise<void> {
    await this.#runners[await this.#chosen()].check(origin);
  }

  async holds(jobId: string): Promise<boolean> {
    return (await this.#holderOf(jobId)) !== undefined;
  }

  async start(held: readonly string[]): Promise<void> {
    for (const runner of Object.values(this.#runners)) await runner.start(held);
  }

  async run(
    task: TrainingTask,
    events: TrainingEvents,
    signal: AbortSignal,
    leaving?: AbortSignal,
  ): Promise<TrainingResult> {
    const runner = (await this.#holderOf(task.jobId)) ?? this.#runners[await this.#chosen()];
    return runner.run(task, events, signal, leaving);
  }

  async #holderOf(jobId: string): Promise<TrainingRunner | undefined> {
    for (const runner of Object.values(this.#runners)) if (await runner.holds(jobId)) return runner;
    return undefined;
  }
}
