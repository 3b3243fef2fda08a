import type { LogLevel } from '../../base/logger.ts';

/** A pattern of logger names, and their level. */
export interface LogPattern {
  readonly pattern: string;
  readonly level: LogLevel;
}

/** The log settings of a configuration. */
export interface LogSettings {
  /** In order; the last match counts. */
  readonly patterns: readonly LogPattern[];
  /** All configured resources by full name, with the level of their `log_configuration`, which no pattern overrides. */
  readonly resources: ReadonlyMap<string, LogLevel | undefined>;
  /** All configured modules with their `log_level`. */
  readonly modules: ReadonlyMap<string, LogLevel | undefined>;
  /** All configured jobs by logger name, with the level of their `log_configuration`. */
  readonly jobs: ReadonlyMap<string, LogLevel | undefined>;
  readonly isDebug: boolean;
  readonly isDeduplicationOff: boolean;
}

export const noLogSettings: LogSettings = {
  patterns: [],
  resources: new Map(),
  modules: new Map(),
  jobs: new Map(),
  isDebug: false,
  isDeduplicationOff: false,
};
