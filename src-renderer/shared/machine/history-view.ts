import type { ApplyOutcome, ConfigResult } from './machine-view.ts';

/** One version of the configuration, without its text. */
export interface VersionView {
  /** From 1, without gaps. */
  readonly number: number;
  /** Hash of the text. */
  readonly revision: string;
  /** When the hub stored it: the hub's wall-clock time, ms. */
  readonly at: number;
  /** Name of the author as the hub knows it; '' if unknown. */
  readonly author: string;
  /** One line that says what changed. */
  readonly summary: string;
  readonly note: string;
  readonly tag: string;
  /** The version that it was based on; 0 for the first. */
  readonly base: number;
  /** The version that it restored; 0 if it is not a restore. */
  readonly restoredFrom: number;
  /** How the machine applied it; undefined until the machine has reported that. */
  readonly result: ConfigResult | undefined;
  /** Full names of resources, `module/<name>` and keys of the document that it changed. */
  readonly subjects: readonly string[];
}

/** A version and its text, which never changes. */
export interface VersionText {
  readonly version: VersionView;
  readonly text: string;
}

/** Filter of versions. '' and false do not restrict. */
export interface VersionCriteria {
  /** Part of a name, summary, note, tag or author, case-insensitive. */
  readonly text: string;
  /** Full or short name of something that was changed. */
  readonly resource: string;
  readonly isTagged: boolean;
}

export const everyVersion: VersionCriteria = { text: '', resource: '', isTagged: false };

/** A page of the history, newest first. */
export interface VersionPage {
  readonly versions: readonly VersionView[];
  /** Token of the next page, with the same criteria; '' if there is none. */
  readonly olderToken: string;
  /** Versions that match, on all pages. */
  readonly total: number;
}

/** Earlier versions of the configuration, which a hub keeps. */
export interface HistoryCalls {
  /** @param limit at most 500 */
  list(
    criteria: VersionCriteria,
    olderToken: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<VersionPage | 'not kept'>;
  get(number: number): Promise<VersionText>;
  /** Stores the text of a version as a new version; `baseRevision` and `returnAfterMs` as in `apply`. */
  restore(number: number, baseRevision: string, returnAfterMs: number): Promise<ApplyOutcome>;
  /** Gives a version a tag and a note. */
  annotate(number: number, words: { readonly tag: string; readonly note: string }): Promise<VersionView>;
}
