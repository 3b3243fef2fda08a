/** The meanings of the server's exit codes. */
export const exitCodes = {
  /** Stopped in order, or printed what was requested. */
  ok: 0,
  /** Ended because of an internal error. */
  failed: 1,
  /** Wrong options, environment or configuration. */
  usage: 2,
  /** The address is in use, or not one of this computer. */
  cannotBind: 3,
  /** Shutdown did not finish in time and was aborted. */
  hungShutdown: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
