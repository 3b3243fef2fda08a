/** Time limits for the steps of a module's life, in milliseconds. */
export interface ModuleTiming {
  /** From the start of a process until it is ready, all steps together. */
  readonly startupMs: number;
  /** One attempt of the handshake, and the pause before the next. */
  readonly readyTryMs: number;
  readonly readyPauseMs: number;
  /** Interval of health checks, time limit of each, and how many misses in a row are reported. */
  readonly healthEveryMs: number;
  readonly healthAnswerMs: number;
  readonly healthMisses: number;
  /** Without any answer for this long, the module is ended and started again. */
  readonly hangMs: number;
  /** Time for its resources to close before the process is asked to end. */
  readonly releaseMs: number;
  /** Times after the process was asked to end: when its whole group is asked, and when it is killed. */
  readonly groupTermMs: number;
  readonly killMs: number;
  /** After being ready for this long, earlier failures no longer count. */
  readonly healthyMs: number;
  /** A new version that ends sooner than this after it was ready is rejected. */
  readonly trialMs: number;
  /** Interval between checks whether maintenance is allowed. */
  readonly permissionMs: number;
}

export const defaultTiming: ModuleTiming = {
  startupMs: 300_000,
  readyTryMs: 3_000,
  readyPauseMs: 200,
  healthEveryMs: 10_000,
  healthAnswerMs: 5_000,
  healthMisses: 3,
  hangMs: 600_000,
  releaseMs: 20_000,
  groupTermMs: 3_300,
  killMs: 10_000,
  healthyMs: 60_000,
  trialMs: 10_000,
  permissionMs: 2_000,
};
