/** Log levels, from least to most serious. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Receives log lines of code. Names are dotted paths such as `core.component.motor.left`; levels and patterns apply to
 * that path.
 */
export interface Logger {
  readonly name: string;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose name is this one's plus `.name`. */
  child(name: string): Logger;
}

/** Discards everything: for pure code under test and for callers without a log. */
export const silentLogger: Logger = {
  name: '',
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
