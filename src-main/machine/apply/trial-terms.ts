import type { MachineConfig } from '../config/machine-config.ts';
import type { TrialTerms } from './trial-record.ts';

/** What the rules need to know about the machine's resources. */
export interface ResourceReadiness {
  /** Full names of all that are ready now. */
  ready(): readonly string[];
  /** Why a resource is not ready now; undefined where it is. */
  notReadyReason(fullName: string): string | undefined;
  /** Calls back after changes of any resource. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
}

/**
 * The terms on which a text would be on trial; undefined if none of the resources that were ready is in it.
 *
 * A rollback always returns to the last text that was not on trial, and what was ready with that text must be ready
 * again. So in a series of edits, none is judged by the broken state before it.
 * @param before what is on trial now
 * @param running the text that the machine runs now
 */
export function trialTermsFor(
  text: { readonly revision: string; readonly config: MachineConfig; readonly waitMs: number },
  before: TrialTerms | undefined,
  running: string,
  ready: readonly string[],
): TrialTerms | undefined {
  const { revision, config, waitMs } = text;
  const goodText = before?.goodText ?? running;
  const readyBefore = before?.readyBefore ?? ready;
  if (requiredIn(config, readyBefore).length === 0) return undefined;
  const replacedTerms = before && { waitMs: before.waitMs, restarts: before.restarts };
  return { revision, waitMs, goodText, readyBefore, replaces: before?.revision ?? '', replacedTerms, restarts: 0 };
}

/**
 * The trial as it was when the server ended, with that end counted; undefined if it was for another text.
 * @param kept its saved terms
 */
export function resumedTerms(kept: TrialTerms | undefined, revision: string): TrialTerms | undefined {
  // The server may have ended after saving the record and before storing the text.
  if (kept === undefined || (kept.revision !== revision && kept.replaces !== revision)) return undefined;
  const terms = kept.revision === revision ? kept : { ...kept, ...kept.replacedTerms };
  return { ...terms, revision, replaces: '', replacedTerms: undefined, restarts: terms.restarts + 1 };
}

/** Those of the named resources that are in a configuration and not disabled. */
export function requiredIn(config: MachineConfig, names: readonly string[]): readonly string[] {
  const enabled = new Set(config.resources.flatMap(({ fullName, isDisabled }) => (isDisabled ? [] : [fullName])));
  return names.filter((name) => enabled.has(name));
}
