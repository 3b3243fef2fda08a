import type { LogLevel } from '../../base/logger.ts';

/** Loggers by name, and the level that they get. */
export interface LogPattern {
  readonly pattern: string;
  readonly level: LogLevel;
}

/** What a configuration says about logs. */
export interface LogSettings {
  /** In order; of several that match, the last holds. */
  readonly patterns: readonly LogPattern[];
  /** Every resource configured, by full name, with the level of its `log_configuration`, which no pattern overrides. */
  readonly resources: ReadonlyMap<string, LogLevel | undefined>;
  /** Every module configured, with its `log_level`. */
  readonly modules: ReadonlyMap<string, LogLevel | undefined>;
  /** Every job configured, by the name of its logger, with the level of its `log_configuration`. */
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
