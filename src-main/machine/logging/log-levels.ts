import { rankOf } from './log-entry.ts';
import { compileLogPattern } from './log-pattern.ts';
import { noLogSettings, type LogSettings } from './log-settings.ts';
import { moduleLoggerName, namesForPatterns, resourceLoggerName, type LogSubject } from './logger-names.ts';

/** The part of a logger that determines its level. */
export interface LeveledName {
  readonly name: string;
  readonly subject: LogSubject;
  readonly parent: { readonly threshold: number } | undefined;
  readonly isActivity: boolean;
}

interface LevelRule {
  readonly matches: (name: string) => boolean;
  readonly threshold: number;
}

const DEBUG = rankOf('debug');
/** Spec, "Limits": default log level. */
const DEFAULT = rankOf('info');

/**
 * Computes thresholds. Priority: debugging of the whole machine, then the level of the resource, module or job itself,
 * then the last matching pattern, then the level of the logger's parent.
 */
export class LogLevels {
  readonly #isDebugFlagSet: boolean;
  #settings: LogSettings = noLogSettings;
  #rules: readonly LevelRule[] = [];
  #generation = 0;

  constructor(isDebugFlagSet: boolean) {
    this.#isDebugFlagSet = isDebugFlagSet;
  }

  /** Changes with each change of levels: thresholds computed before are no longer valid. */
  get generation(): number {
    return this.#generation;
  }

  get isDebug(): boolean {
    return this.#isDebugFlagSet || this.#settings.isDebug;
  }

  get isDeduplicationOff(): boolean {
    return this.isDebug || this.#settings.isDeduplicationOff;
  }

  apply(settings: LogSettings): void {
    this.#generation++;
    this.#settings = settings;
    this.#rules = settings.patterns.flatMap(({ pattern, level }) => {
      // Invalid patterns were reported with their place when the configuration was read.
      const compiled = compileLogPattern(pattern);
      return compiled.kind === 'invalid' ? [] : [{ matches: compiled.matches, threshold: rankOf(level) }];
    });
  }

  /** Rank of the lowest level that a logger logs. */
  thresholdOf(logger: LeveledName): number {
    if (this.isDebug) return DEBUG;
    const { resource, module } = logger.subject;
    const threshold =
      this.#configured(module, resource) ??
      this.#ofJob(logger.name) ??
      this.#byPattern(() => namesForPatterns(logger.name, logger.subject)) ??
      logger.parent?.threshold ??
      DEFAULT;
    return logger.isActivity ? Math.min(threshold, DEFAULT) : threshold;
  }

  /** The threshold that a name or a pattern sets for a resource or a module, if any. */
  explicitThreshold(module: string | undefined, resource: string | undefined): number | undefined {
    if (this.isDebug) return DEBUG;
    const configured = this.#configured(module, resource);
    if (configured !== undefined) return configured;
    return this.#byPattern(() => [
      ...(resource === undefined
        ? []
        : namesForPatterns(resourceLoggerName(resource), { resource, module: undefined })),
      ...(module === undefined ? [] : namesForPatterns(moduleLoggerName(module), { resource: undefined, module })),
    ]);
  }

  #configured(module: string | undefined, resource: string | undefined): number | undefined {
    const level =
      (resource === undefined ? undefined : this.#settings.resources.get(resource)) ??
      (module === undefined ? undefined : this.#settings.modules.get(module));
    return level === undefined ? undefined : rankOf(level);
  }

  #ofJob(logger: string): number | undefined {
    const level = this.#settings.jobs.get(logger);
    return level === undefined ? undefined : rankOf(level);
  }

  #byPattern(namesOf: () => readonly string[]): number | undefined {
    if (this.#rules.length === 0) return undefined;
    const names = namesOf();
    return this.#rules.findLast((rule) => names.some(rule.matches))?.threshold;
  }
}
