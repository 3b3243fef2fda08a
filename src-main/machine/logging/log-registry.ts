import { Deduplicator, NOISY_COUNT, NOISY_WINDOW_MS } from './deduplicator.ts';
import { rankOf, type LogDraft, type LogEntry, type LogSink } from './log-entry.ts';
import { LogHistory } from './log-history.ts';
import { LogReader } from './log-reader.ts';
import type { LogStore } from './stored/log-store.ts';
import { LogLevels } from './log-levels.ts';
import { jobLoggerName, moduleLoggerName, resourceLoggerName, ROOT_LOGGER, type LogSubject } from './logger-names.ts';
import { cutText, safeFields } from './safe-fields.ts';
import type { Clock } from '../../base/clock.ts';
import type { LogFields, Logger, LogLevel } from '../../base/logger.ts';
import type { LogSettings } from './log-settings.ts';

/** Entries kept in memory for the page. */
export const HISTORY_CAPACITY = 10_000;

const DEBUG = rankOf('debug');
const INFO = rankOf('info');
const WARN = rankOf('warn');
const ERROR = rankOf('error');

/** Prefix of the loggers of jobs. */
const jobLoggers = jobLoggerName('');
const noSubject: LogSubject = { resource: undefined, module: undefined };

export interface LogRegistryOptions {
  readonly clock: Clock;
  /** `-debug`: everything at debug, nothing folded, whatever the configuration says. */
  readonly isDebugFlagSet: boolean;
  readonly historyCapacity: number;
  /** Where entries are stored beyond this run, if anywhere. */
  readonly store: LogStore | undefined;
  /** Number of the first entry. */
  readonly firstSeq: number;
}

/** A line from elsewhere: from a module through RobotService/Log. */
export interface ExternalLogEntry {
  /** Name of the module that sent it, or undefined. */
  readonly module: string | undefined;
  /** Full name of the resource it is about, or undefined. */
  readonly resource: string | undefined;
  /** The sender's name for the logger; it appears below the module's own logger. */
  readonly logger: string;
  readonly level: LogLevel;
  /** Wall-clock milliseconds when it was written. */
  readonly time: number;
  readonly message: string;
  readonly fields: LogFields;
  readonly caller: string | undefined;
  /** Logs repeats without folding them. */
  readonly isNeverFolded?: boolean;
}

/** A logger that knows whether a message would be logged, so that costly messages need not be built. */
export interface LeveledLogger extends Logger {
  isEnabled(level: LogLevel): boolean;
  child(name: string): LeveledLogger;
}

/**
 * All loggers of a machine, their levels and the sinks of their entries. Levels and folding change live: a logger
 * computes its threshold at the first use after a change, and no resource is affected.
 */
export class LogRegistry {
  readonly history: LogHistory;
  /** The log as far back as it is stored. */
  readonly reader: LogReader;
  /** What happened and how long it took: start, stop, reconfiguration. Never filtered or folded. */
  readonly activity: LeveledLogger;
  readonly #clock: Clock;
  readonly #levels: LogLevels;
  readonly #sinks: LogSink[] = [];
  readonly #loggers = new Map<string, RegistryLogger>();
  readonly #root: RegistryLogger;
  readonly #deduplicator: Deduplicator;
  #seq: number;

  constructor(options: LogRegistryOptions) {
    this.#clock = options.clock;
    this.#levels = new LogLevels(options.isDebugFlagSet);
    this.history = new LogHistory(options.historyCapacity);
    this.reader = new LogReader(this.history, options.store, options.clock);
    this.#seq = options.firstSeq - 1;
    if (options.store !== undefined) this.#sinks.push(options.store);
    this.#deduplicator = new Deduplicator(options.clock, ({ latest, count, firstTime }) => {
      const text = `(${count} times in the past ${NOISY_WINDOW_MS / 1_000} s) ${latest.message}`;
      this.#keep({ ...latest, message: text }, count, firstTime);
    });
    this.#root = this.#create(ROOT_LOGGER, noSubject, undefined);
    this.activity = this.#create(`${ROOT_LOGGER}.activity`, noSubject, this.#root, true);
  }

  /** The logger of this dotted name, `core.web`; one below the root. */
  logger(name: string): LeveledLogger {
    return this.#loggers.get(name) ?? this.#create(name, noSubject, this.#root);
  }

  /** The logger of a resource; its entries say which resource they are about. */
  resource(fullName: string): LeveledLogger {
    const name = resourceLoggerName(fullName);
    return this.#loggers.get(name) ?? this.#create(name, { resource: fullName, module: undefined }, this.#root);
  }

  /** The logger of a module's process. */
  module(moduleName: string): LeveledLogger {
    const name = moduleLoggerName(moduleName);
    return this.#loggers.get(name) ?? this.#create(name, { resource: undefined, module: moduleName }, this.#root);
  }

  addSink(sink: LogSink): void {
    this.#sinks.push(sink);
  }

  /** Applies a configuration's log settings at once. */
  apply(settings: LogSettings): void {
    this.#levels.apply(settings);
    // A forgotten logger that some code still holds keeps working, but its level is not pushed any more.
    for (const [name, { subject }] of this.#loggers) {
      const { resource, module } = subject;
      const isGone =
        (resource !== undefined && !settings.resources.has(resource)) ||
        (module !== undefined && !settings.modules.has(module)) ||
        (name.startsWith(jobLoggers) && !settings.jobs.has(name));
      if (isGone) this.#loggers.delete(name);
    }
    if (this.#levels.isDeduplicationOff) this.#deduplicator.flush();
  }

  /**
   * Adds a line that was logged elsewhere. If a level is configured for its resource or module, it is filtered here
   * too; otherwise the sender has filtered by its own level.
   */
  appendExternal(entry: ExternalLogEntry): void {
    const { module, resource, level, time, caller } = entry;
    const limit = this.#levels.explicitThreshold(module, resource);
    if (limit !== undefined && rankOf(level) < limit) return;
    const logger = module === undefined ? entry.logger : `${moduleLoggerName(module)}.${entry.logger}`;
    const message = cutText(entry.message);
    const draft: LogDraft = { time, level, logger, message, fields: safeFields(entry.fields), resource, caller };
    this.#offer(draft, limit !== DEBUG && level !== 'debug' && entry.isNeverFolded !== true);
  }

  /** Logs an error and writes the lines of every sink to its medium: called before the program ends. */
  fatal(message: string, fields: LogFields): void {
    this.#root.error(message, fields);
    this.flushSync();
  }

  flushSync(): void {
    this.#deduplicator.flush();
    for (const sink of this.#sinks) sink.flushSync();
  }

  /** Writes what is pending and closes the sinks. */
  async close(): Promise<void> {
    this.#deduplicator.flush();
    await Promise.all(this.#sinks.map((sink) => sink.close()));
  }

  #create(name: string, subject: LogSubject, parent: RegistryLogger | undefined, isActivity = false): RegistryLogger {
    const logger: RegistryLogger = new RegistryLogger(name, subject, parent, isActivity, {
      levels: this.#levels,
      write: (level, message, fields) => this.#write(logger, level, message, fields),
      child: (childName) => {
        const full = `${name}.${childName}`;
        return this.#loggers.get(full) ?? this.#create(full, subject, logger, isActivity);
      },
    });
    this.#loggers.set(name, logger);
    return logger;
  }

  #write(logger: RegistryLogger, level: LogLevel, message: string, fields: LogFields | undefined): void {
    const isDebugging = logger.threshold === DEBUG;
    const draft: LogDraft = {
      time: this.#clock.now(),
      level,
      logger: logger.name,
      message: cutText(message),
      fields: safeFields(fields),
      resource: logger.subject.resource,
      caller: isDebugging || rankOf(level) >= WARN ? callSiteOf(logger, level) : undefined,
    };
    this.#offer(draft, !isDebugging && !logger.isActivity);
  }

  #offer(draft: LogDraft, mayFold: boolean): void {
    const verdict = mayFold && !this.#levels.isDeduplicationOff ? this.#deduplicator.offer(draft) : 'pass';
    if (verdict === 'drop') return;
    if (verdict === 'pass') {
      this.#keep(draft, 1, undefined);
      return;
    }
    const message = `(logged ${NOISY_COUNT} times within ${NOISY_WINDOW_MS / 1_000} s, folding further repeats) ${draft.message}`;
    this.#keep({ ...draft, message }, 1, undefined);
  }

  #keep(draft: LogDraft, repeatCount: number, firstTime: number | undefined): void {
    const entry: LogEntry = { seq: ++this.#seq, ...draft, repeatCount, firstTime };
    this.history.push(entry);
    for (const sink of this.#sinks) sink.write(entry);
  }
}

interface LoggerHome {
  readonly levels: LogLevels;
  write(level: LogLevel, message: string, fields: LogFields | undefined): void;
  child(name: string): LeveledLogger;
}

class RegistryLogger implements LeveledLogger {
  readonly name: string;
  readonly subject: LogSubject;
  readonly parent: RegistryLogger | undefined;
  readonly isActivity: boolean;
  readonly #home: LoggerHome;
  #threshold = INFO;
  /** Version of the levels from which the threshold was computed. */
  #generation = -1;

  constructor(
    name: string,
    subject: LogSubject,
    parent: RegistryLogger | undefined,
    isActivity: boolean,
    home: LoggerHome,
  ) {
    this.name = name;
    this.subject = subject;
    this.parent = parent;
    this.isActivity = isActivity;
    this.#home = home;
  }

  /** Rank of the lowest level that is logged. */
  get threshold(): number {
    const { levels } = this.#home;
    if (this.#generation !== levels.generation) {
      this.#generation = levels.generation;
      this.#threshold = levels.thresholdOf(this);
    }
    return this.#threshold;
  }

  isEnabled(level: LogLevel): boolean {
    return rankOf(level) >= this.threshold;
  }

  debug(message: string, fields?: LogFields): void {
    if (DEBUG >= this.threshold) this.#home.write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    if (INFO >= this.threshold) this.#home.write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    if (WARN >= this.threshold) this.#home.write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    if (ERROR >= this.threshold) this.#home.write('error', message, fields);
  }

  child(name: string): LeveledLogger {
    return this.#home.child(name);
  }
}

const FRAME = /\(?(?:file:\/\/)?([^()\s]+):(\d+):\d+\)?$/;

/**
 * Where the running method of `owner` was called from, as `folder/file.ts:12`. It walks the stack, so it is used only
 * for entries whose place matters.
 */
function callSiteOf(owner: object, method: string): string | undefined {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  // Leaves out the stack frames up to and including this function.
  Error.captureStackTrace(holder, Reflect.get(owner, method) as () => void);
  const stack = holder.stack;
  Error.stackTraceLimit = limit;
  const match = FRAME.exec(stack?.split('\n')[1] ?? '');
  if (match === null) return undefined;
  const [, file = '', line = ''] = match;
  return `${file.split('/').slice(-2).join('/')}:${line}`;
}
