import type { TrainingJobLogEntry } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { TrainingCalls } from '../../../shared/machine/training/training-calls.ts';

/** Interval of asking for more lines. */
const restMs = 1_000;

export interface JobLogOptions {
  readonly calls: Pick<TrainingCalls, 'log'>;
  readonly jobId: string;
  readonly onChange: () => void;
}

/**
 * All lines of a job's log from the first on, and new ones as they are written. The number of lines is limited by the
 * hub, which says in the log what it left out.
 */
export class JobLogFeed {
  readonly #options: JobLogOptions;
  readonly #lines: TrainingJobLogEntry[] = [];
  #shown: number | undefined;
  #token = '';
  #isOver = false;
  #hasBegun = false;
  #problem = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | undefined;

  constructor(options: JobLogOptions) {
    this.#options = options;
  }

  /** The shown lines: while paused, those from before the pause. */
  get lines(): readonly TrainingJobLogEntry[] {
    return this.#shown === undefined ? this.#lines : this.#lines.slice(0, this.#shown);
  }

  get isPaused(): boolean {
    return this.#shown !== undefined;
  }

  /** Number of lines that came during the pause. */
  get heldLines(): number {
    return this.#shown === undefined ? 0 : this.#lines.length - this.#shown;
  }

  /** Whether the hub has answered, so that an empty list means that there are no lines. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether no more lines will be written. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Why no more could be read; '' if all is well. */
  get problem(): string {
    return this.#problem;
  }

  /** Starts reading, or continues where it was, for example after a lost connection. */
  start(): void {
    this.stop();
    if (this.#isOver) return;
    this.#asking = new AbortController();
    void this.#read(this.#asking.signal);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  pause(): void {
    this.#shown = this.#lines.length;
    this.#options.onChange();
  }

  resume(): void {
    this.#shown = undefined;
    this.#options.onChange();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { calls, jobId, onChange } = this.#options;
    try {
      for (let isMore = true; isMore;) {
        const { lines, nextToken } = await calls.log(jobId, this.#token, signal);
        if (signal.aborted) return;
        this.#lines.push(...lines);
        this.#hasBegun = true;
        this.#problem = '';
        this.#isOver = nextToken === '';
        isMore = lines.length > 0 && !this.#isOver;
        if (!this.#isOver) this.#token = nextToken;
        onChange();
      }
    } catch (thrown) {
      if (signal.aborted) return;
      this.#problem = messageOf(thrown);
      onChange();
    }
    if (!this.#isOver) this.#timer = setTimeout(() => void this.#read(signal), restMs);
  }
}
