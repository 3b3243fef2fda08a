import type { TrainingEvents } from '../training-runner.ts';
import { scriptMessage } from './script-message.ts';

/** Passes on the output of a script: lines of its log and epochs. Keeps the reason of a failure. */
export class ScriptOutput {
  readonly #events: TrainingEvents;
  #failure: string | undefined;

  /** @param failure from output that was read before a restart of the hub */
  constructor(events: TrainingEvents, failure?: string) {
    this.#events = events;
    this.#failure = failure;
  }

  /** The reason of failure that the script last reported. */
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
