/** What the server's exit code says. */
export const exitCodes = {
  /** Stopped in order, or printed what was asked for. */
  ok: 0,
  /** Ended by a fault of its own. */
  failed: 1,
  /** Wrong options, environment or configuration. */
  usage: 2,
  /** The address is taken or not ours. */
  cannotBind: 3,
  /** Shutdown did not end in time and was cut short. */
  hungShutdown: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
