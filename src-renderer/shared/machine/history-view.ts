import type { ApplyOutcome, ConfigResult } from './machine-view.ts';

/** One version of the configuration, without its text. */
export interface VersionView {
  /** From 1, without gaps. */
  readonly number: number;
  /** Hash of its text. */
  readonly revision: string;
  /** When it was stored: wall-clock time of the hub, ms. */
  readonly at: number;
  /** As the hub names them; '' where it does not know. */
  readonly author: string;
  /** One line that says what changed. */
  readonly summary: string;
  readonly note: string;
  readonly tag: string;
  /** The version that it was written from; 0 for the first. */
  readonly base: number;
  /** The version whose text it brought back; 0 where it is no restore. */
  readonly restoredFrom: number;
  /** How the machine took it; undefined until it has said so. */
  readonly result: ConfigResult | undefined;
  /** Full names of resources, `module/<name>` and keys of the document that it changed. */
  readonly subjects: readonly string[];
}

/** A version with its text, which never changes. */
export interface VersionText {
  readonly version: VersionView;
  readonly text: string;
}

/** Which versions are wanted. '' and false do not restrict. */
export interface VersionCriteria {
  /** Part of a name, a summary, a note, a tag or an author, in any case. */
  readonly text: string;
  /** Full or short name of what was changed. */
  readonly resource: string;
  readonly isTagged: boolean;
}

export const everyVersion: VersionCriteria = { text: '', resource: '', isTagged: false };

/** A piece of the history, newest first. */
export interface VersionPage {
  readonly versions: readonly VersionView[];
  /** For the piece after this one, with the same criteria; '' where there is none. */
  readonly olderToken: string;
  /** Versions that match, on all pages. */
  readonly total: number;
}

/** Earlier configurations, which a hub keeps. */
export interface HistoryCalls {
  /** @param limit at most 500 are given */
  list(
    criteria: VersionCriteria,
    olderToken: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<VersionPage | 'not kept'>;
  get(number: number): Promise<VersionText>;
  /** Stores the text of a version as a new one; `baseRevision` and `returnAfterMs` as of an apply. */
  restore(number: number, baseRevision: string, returnAfterMs: number): Promise<ApplyOutcome>;
  /** Gives a version a tag and a note. */
  annotate(number: number, words: { readonly tag: string; readonly note: string }): Promise<VersionView>;
}
