/** How the last runs of a job ended. */
export interface JobStatus {
  readonly name: string;
  /** Wall-clock milliseconds at which they ended, the oldest first. */
  readonly successes: readonly number[];
  readonly failures: readonly number[];
}

/** So many of each kind are kept, as the field's public server does. */
const KEPT = 10;

/** Keeps when runs of a job ended, and how. */
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
