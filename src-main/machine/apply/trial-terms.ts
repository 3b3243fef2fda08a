import type { MachineConfig } from '../config/machine-config.ts';
import type { TrialTerms } from './trial-record.ts';

/** What the rules need to know of the machine's resources. */
export interface ResourceReadiness {
  /** Full names of all that are ready now. */
  ready(): readonly string[];
  /** Why a resource is not ready now; undefined where it is. */
  notReadyReason(fullName: string): string | undefined;
  /** Calls back after changes of any resource. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
}

/**
 * The terms on which a text would be on trial; undefined where nothing that was ready stays in it.
 *
 * The rollback is always to the last text that was not on trial, and what was ready with that one has to be ready: so
 * of several edits in a row, none is judged by the broken state before it.
 * @param before what is on trial now
 * @param running text that the machine runs now
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
 * The trial when the server ended, with that end counted; undefined where it was of another text.
 * @param kept its saved terms
 */
export function resumedTerms(kept: TrialTerms | undefined, revision: string): TrialTerms | undefined {
  // The server may have ended between the record of a text and the text itself.
  if (kept === undefined || (kept.revision !== revision && kept.replaces !== revision)) return undefined;
  const terms = kept.revision === revision ? kept : { ...kept, ...kept.replacedTerms };
  return { ...terms, revision, replaces: '', replacedTerms: undefined, restarts: terms.restarts + 1 };
}

/** Those of the named resources that a configuration has and does not disable. */
export function requiredIn(config: MachineConfig, names: readonly string[]): readonly string[] {
  const enabled = new Set(config.resources.flatMap(({ fullName, isDisabled }) => (isDisabled ? [] : [fullName])));
  return names.filter((name) => enabled.has(name));
}
