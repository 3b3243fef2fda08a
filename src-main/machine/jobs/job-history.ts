/** How the last runs of a job ended. */
export interface JobStatus {
  readonly name: string;
  /** Wall-clock milliseconds of their ends, oldest first. */
  readonly successes: readonly number[];
  readonly failures: readonly number[];
}

/** Number of each kind that is kept, as in the public server. */
const KEPT = 10;

/** Records when and how the runs of a job ended. */
export class JobHistory {
  readonly successes: number[] = [];
  readonly failures: number[] = [];

  succeeded(at: number): void {
    keep(this.successes, at);
  }

  failed(at: number): void {
    keep(this.failures, at);
  }
}

function keep(times: number[], at: number): void {
  times.push(at);
  if (times.length > KEPT) times.shift();
}
