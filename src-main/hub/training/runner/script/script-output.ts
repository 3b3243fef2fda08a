import type { TrainingEvents } from '../training-runner.ts';
import { scriptMessage } from './script-message.ts';

/** Hands on what a script writes: lines of its log, epochs, and why it is about to end. */
export class ScriptOutput {
  readonly #events: TrainingEvents;
  #failure: string | undefined;

  /** @param failure what was said of that in what was handed on before */
  constructor(events: TrainingEvents, failure?: string) {
    this.#events = events;
    this.#failure = failure;
  }

  /** What the script last said of why it ends, for people. */
  get failure(): string | undefined {
    return this.#failure;
  }

  line(stream: 'out' | 'err', line: string): void {
    const message = stream === 'out' ? scriptMessage(line) : undefined;
    if (message === undefined) this.#events.log(stream === 'out' ? 'info' : 'error', line);
    else if (message.kind === 'progress') this.#events.epoch(message.epoch);
    else this.#failure = message.message;
  }
}
