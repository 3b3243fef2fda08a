/**
 * The page's own types for a machine's configuration and log. For the machine's status, resources and modules it uses
 * the generated messages.
 */
import type { Problem } from '../../../proto/config/problem.ts';

export type { Problem };

/** `core:component:motor/left` -> `left`: the name of a resource for people and in API calls. */
export function shortName(fullName: string): string {
  return fullName.slice(fullName.indexOf('/') + 1);
}

/** A time in a message, in wall-clock ms; 0 if it has none. */
export function timeOf(time: Date | undefined): number {
  return time?.getTime() ?? 0;
}

/** The stored configuration as text, and how far the machine has applied it. */
export interface ConfigDocument {
  readonly text: string;
  /** Hash of the text. */
  readonly revision: string;
  readonly source: 'file' | 'hub' | 'none';
  /** Path of the file; '' if there is no source. */
  readonly path: string;
  readonly isReadOnly: boolean;
  /** How the latest apply went; undefined if the machine has not reported it. */
  readonly result: ConfigResult | undefined;
}

export interface ConfigResult {
  readonly outcome:
    'applying' | 'applied' | 'applied-with-failures' | 'deferred' | 'rejected' | 'returned' | 'replaced';
  /** Revision of the text that this is about; for `returned`, of the text that was rolled back. */
  readonly revision: string;
  readonly message: string;
  /** The trial that may still be rolled back; undefined if there is none. */
  readonly trial: ConfigTrial | undefined;
  /** What waits for the maintenance window; undefined if nothing does. */
  readonly deferred: DeferredConfig | undefined;
  /** For `returned`: the text that was rolled back; otherwise ''. */
  readonly returnedText: string;
  /** Full names of what failed; for `returned`, of what was not ready at the rollback. */
  readonly unready: readonly string[];
  /** From the start until everything settled, ms. */
  readonly tookMs?: number;
  /** Wall-clock time, ms; 0 if unknown. */
  readonly at: number;
}

/** A stored text that waits until the maintenance window of the running configuration opens. */
export interface DeferredConfig {
  /** The waiting changes, compared with what the machine runs now. */
  readonly plan: ConfigPlan;
  /** `sensor door: closed is false` */
  readonly reason: string;
  /** Wall-clock time, ms. */
  readonly since: number;
  /** The text that runs now: applying it discards what waits. */
  readonly runningText: string;
}

/** A configuration that is rolled back unless what was ready before is ready again in time. */
export interface ConfigTrial {
  /** When it is rolled back, by the clock of this page, ms. */
  readonly endsAt: number;
  /** Full names of what is not yet ready again. */
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
  /** Of a renamed resource that is added: its old full name, which another change removes. '' for others. */
  readonly renamedFrom: string;
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
  /** Somebody else has changed the configuration first; nothing was stored. */
  | { readonly kind: 'conflict'; readonly theirs: Pick<ConfigDocument, 'text' | 'revision'> }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  /** The machine answered that the apply failed; nothing has changed. */
  | { readonly kind: 'failed'; readonly reason: string };

export type LogLevelName = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  /** Increases with each line of the machine, also over restarts. */
  readonly seq: number;
  /** Wall-clock time, ms. */
  readonly at: number;
  readonly level: LogLevelName;
  readonly logger: string;
  readonly message: string;
  /** Full name of the resource that it is about; '' if none. */
  readonly resource: string;
  /** Number of equal lines that this one stands for, at least 1. */
  readonly repeats: number;
  /** When the first of these was written, ms; equals `at` for a single line. */
  readonly firstAt: number;
  /** Structured fields as JSON text; '' if there are none. */
  readonly fields: string;
  /** `file:line` that wrote it; '' if unknown. */
  readonly caller: string;
}

/** Filter of lines. '' and undefined do not restrict. */
export interface LogCriteria {
  /** This level and higher ones. */
  readonly level: LogLevelName;
  /** Full name. */
  readonly resource: string;
  /** Part of the logger's name, case-insensitive. */
  readonly logger: string;
  /** Part of the message or of a field, case-insensitive. */
  readonly text: string;
  /** Wall-clock times, ms: `from` inclusive, `to` exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** No restriction. */
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
  /** Lines that the machine dropped before these, because this page read too slowly. */
  readonly dropped: number;
  /**
   * In the first batch of a stream: number of the newest line when the stream began, whether it passes the filter or
   * not. Later lines are in the stream. 0 in other batches.
   */
  readonly lastSeq: number;
}

/** A page of old lines, oldest first. It may be short or empty and still have an older page. */
export interface LogPageView {
  readonly lines: readonly LogLine[];
  /** Token of the next older page; '' if there is none. */
  readonly olderToken: string;
  /** Sentences about parts of the stored log that could not be read. */
  readonly unreadable: readonly string[];
  /** Time of the oldest line that was searched, ms; undefined if there was none. */
  readonly searchedTo: number | undefined;
}

export interface ConnectionView {
  readonly kind: 'connecting' | 'connected' | 'waiting' | 'refused';
  /** Why the last connection ended or was refused; '' if there was none. */
  readonly reason: string;
  /** Wall-clock time of the next attempt, ms; 0 if none is planned. */
  readonly nextTryAt: number;
}
