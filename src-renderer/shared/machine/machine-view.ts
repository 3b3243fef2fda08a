/**
 * What the page makes of a machine's configuration and log. What a machine says of itself, its resources and its modules
 * stays in the generated messages.
 */
import type { Problem } from '../../../proto/config/problem.ts';

export type { Problem };

/** `core:component:motor/left` -> `left`: what people, and calls of an API, name a resource by. */
export function shortName(fullName: string): string {
  return fullName.slice(fullName.indexOf('/') + 1);
}

/** A time of a message: wall-clock, ms; 0 where it has none. */
export function timeOf(time: Date | undefined): number {
  return time?.getTime() ?? 0;
}

/** The configuration that is stored, as text, with how far the machine has followed it. */
export interface ConfigDocument {
  readonly text: string;
  /** Hash of the text. */
  readonly revision: string;
  readonly source: 'file' | 'hub' | 'none';
  /** Of the file; '' where the source is none. */
  readonly path: string;
  readonly isReadOnly: boolean;
  /** How the latest application went; undefined where the machine has not said. */
  readonly result: ConfigResult | undefined;
}

export interface ConfigResult {
  readonly outcome:
    'applying' | 'applied' | 'applied-with-failures' | 'deferred' | 'rejected' | 'returned' | 'replaced';
  /** Of the text that is spoken of: for `returned`, of the one that was left. */
  readonly revision: string;
  readonly message: string;
  /** The way back that is still open; undefined where there is none. */
  readonly trial: ConfigTrial | undefined;
  /** What waits for the maintenance window; undefined where nothing does. */
  readonly deferred: DeferredConfig | undefined;
  /** Of `returned`: the text that was left; else ''. */
  readonly returnedText: string;
  /** Full names of what failed, or of `returned` of what was not ready when it was left. */
  readonly unready: readonly string[];
  /** From begin to settled, ms. */
  readonly tookMs?: number;
  /** Wall-clock time, ms; 0 where unknown. */
  readonly at: number;
}

/** A stored text that waits until the maintenance window of the configuration in force opens. */
export interface DeferredConfig {
  /** What of it waits, from what the machine runs now. */
  readonly plan: ConfigPlan;
  /** `sensor door: closed is false` */
  readonly reason: string;
  /** Wall-clock time, ms. */
  readonly since: number;
  /** The text in force: applying it takes back what waits. */
  readonly runningText: string;
}

/** A configuration that is left by itself unless what was ready before is ready again in time. */
export interface ConfigTrial {
  /** When it is left, by the clock of this page, ms. */
  readonly endsAt: number;
  /** Full names of what is not ready again yet. */
  readonly awaited: readonly string[];
}

export type PlanChangeKind = 'add' | 'change' | 'rebuild' | 'remove';

export interface PlannedResource {
  readonly kind: PlanChangeKind;
  /** Full name. */
  readonly name: string;
  readonly reason: string;
  /** Keys that differ. */
  readonly fields: readonly string[];
  readonly stopsMotion: boolean;
}

export interface PlannedModule {
  readonly kind: 'add' | 'restart' | 'change' | 'remove';
  readonly name: string;
  readonly reason: string;
}

export interface PlannedSetting {
  readonly key: string;
  readonly reason: string;
  readonly needsRestart: boolean;
}

/** What applying a text would do. */
export interface ConfigPlan {
  readonly resources: readonly PlannedResource[];
  readonly modules: readonly PlannedModule[];
  readonly settings: readonly PlannedSetting[];
  readonly summary: string;
  readonly problems: readonly Problem[];
}

export type ApplyOutcome =
  | { readonly kind: 'applied'; readonly revision: string }
  /** Somebody else was first; nothing was stored. */
  | { readonly kind: 'conflict'; readonly theirs: Pick<ConfigDocument, 'text' | 'revision'> }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  /** The machine answered that it did not do it; nothing has changed. */
  | { readonly kind: 'failed'; readonly reason: string };

export type LogLevelName = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  /** Rises with each line of the machine, over its starts too. */
  readonly seq: number;
  /** Wall-clock time, ms. */
  readonly at: number;
  readonly level: LogLevelName;
  readonly logger: string;
  readonly message: string;
  /** Full name of the resource it is about; '' where it is about none. */
  readonly resource: string;
  /** Equal lines that this one stands for, at least 1. */
  readonly repeats: number;
  /** When the first of those was written, ms; that of the latest where it stands for itself alone. */
  readonly firstAt: number;
  /** Structured fields as JSON text, '' where there are none. */
  readonly fields: string;
  /** `file:line` it was written at; '' where not known. */
  readonly caller: string;
}

/** Which lines are wanted. '' and undefined do not restrict. */
export interface LogCriteria {
  /** This level and those above it. */
  readonly level: LogLevelName;
  /** Full name. */
  readonly resource: string;
  /** Part of the logger's name, in any case. */
  readonly logger: string;
  /** Part of the message or of a field, in any case. */
  readonly text: string;
  /** Wall-clock times, ms: from this one on, and before this one. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Every line there is. */
export const everyLine: LogCriteria = {
  level: 'debug',
  resource: '',
  logger: '',
  text: '',
  from: undefined,
  to: undefined,
};

/** Lines in the order they were written. */
export interface LogBatch {
  readonly lines: readonly LogLine[];
  /** Lines the machine left out before these, because this page read too slowly. */
  readonly dropped: number;
  /**
   * In the first batch of a stream: number of the newest line there was when it began, whether it is wanted or not.
   * What came later is in the stream. 0 in the others.
   */
  readonly lastSeq: number;
}

/** A piece of the past, oldest line first. It may be short, or empty, and still have one before it. */
export interface LogPageView {
  readonly lines: readonly LogLine[];
  /** For the piece before this one; '' where there is none. */
  readonly olderToken: string;
  /** Sentences that name what of the stored log could not be read. */
  readonly unreadable: readonly string[];
  /** Time of the oldest line looked at, ms; undefined where there was none. */
  readonly searchedTo: number | undefined;
}

export interface ConnectionView {
  readonly kind: 'connecting' | 'connected' | 'waiting' | 'refused';
  /** Why the last connection ended or was refused; '' where there was none. */
  readonly reason: string;
  /** Wall-clock time of the next try, ms; 0 where none is planned. */
  readonly nextTryAt: number;
}
