import { toArmatureError } from '../../base/errors.ts';
import type { ConfigOrigin } from '../config/source/config-source.ts';
import type { ConfigurationOptions, StartupConfig } from './config-state.ts';
import { revisionOf } from '../../base/revision.ts';
import type { SavedDeferral } from './deferral-record.ts';
import type { PersistedValue } from './persisted-value.ts';
import type { TrialTerms } from './trial-record.ts';
import { resumedTerms } from './trial-terms.ts';

/** What survives a restart of the server. */
export interface PersistedState {
  readonly trial: PersistedValue<TrialTerms>;
  readonly deferral: PersistedValue<SavedDeferral>;
}

/** The origin of a text that is rolled back to; `why` is the second half of a sentence. */
export function rollbackOrigin(why: string): ConfigOrigin {
  const summary = 'rolled back to the previous configuration';
  return { author: 'machine', note: `${summary}${why}`, summary, subjects: [], restoredFrom: 0, isRollback: true };
}

/**
 * The text to start with: the stored one, unless
 * - it was deferred. Then the machine starts with what ran before: the end of a server, perhaps by a failure, does not
 * permit maintenance. The stored text stays deferred.
 * - it was on trial and has already had its second chance, or can no longer be used. Then the previous text is stored
 * again.
 *
 * Throws `config.unreadable` if there is no file to read.
 */
export async function readStartupConfig(
  options: ConfigurationOptions,
  persisted: PersistedState,
): Promise<StartupConfig> {
  const { source, parse, logger } = options;
  const stored = await source.read();
  const deferral = await resumedDeferral(persisted.deferral, stored.revision);
  if (deferral !== undefined) {
    const { runningText } = deferral;
    const first: StartupConfig = { text: runningText, parsed: parse(runningText), details: {} };
    const waiting = { text: stored.text, parsed: parse(stored.text) };
    if (first.parsed.config !== undefined && waiting.parsed.config !== undefined) {
      logger.warn(
        `configuration ${stored.revision} waits for its maintenance window since ${new Date(deferral.since).toISOString()}: the machine starts with ${revisionOf(runningText)}, which ran before.`,
      );
      const begun = await resumeTrial(options, persisted.trial, first, true);
      // The next start must not use a text that was rolled back.
      return { ...begun, waiting: { ...waiting, deferral: { ...deferral, runningText: begun.text } } };
    }
    persisted.deferral.set(undefined);
  }
  const { text } = stored;
  return resumeTrial(options, persisted.trial, { text, parsed: parse(text), details: {} }, false);
}

/** The deferral at the time the server ended; undefined if it was for another text. */
async function resumedDeferral(
  value: PersistedValue<SavedDeferral>,
  revision: string,
): Promise<SavedDeferral | undefined> {
  const kept = await value.load();
  if (kept === undefined || kept.revision === revision) return kept;
  // The server may have ended after saving the record and before storing the text.
  if (kept.replaces === revision) return { ...kept, ...kept.replacedTerms, revision };
  // If that text is stored again later, this deferral must not apply to it.
  value.set(undefined);
  return undefined;
}

/** @param isCovered another text is stored on top of it, and stays */
async function resumeTrial(
  options: ConfigurationOptions,
  value: PersistedValue<TrialTerms>,
  first: StartupConfig,
  isCovered: boolean,
): Promise<StartupConfig> {
  const { source, parse, logger } = options;
  const { text } = first;
  const revision = revisionOf(text);
  const terms = resumedTerms(await value.load(), revision);
  if (terms === undefined) {
    // If that text is stored again later, this trial must not apply to it.
    value.set(undefined);
    return first;
  }
  const isUsable = first.parsed.config !== undefined;
  try {
    await value.save(terms);
    if (isUsable && terms.restarts < 2) return { ...first, details: { trialTerms: terms } };
    const why = isUsable ? ': the server ended twice while the new one was on trial' : ': the new one has errors';
    const { goodText, readyBefore } = terms;
    if (isCovered) {
      logger.warn(`configuration ${revision} is rolled back to ${revisionOf(goodText)}${why}`);
      return { text: goodText, parsed: parse(goodText), details: {} };
    }
    const origin = rollbackOrigin(why);
    const written = await source.write(goodText, revision, origin);
    if (written.kind === 'conflict') return { ...first, text: written.text, parsed: parse(written.text) };
    logger.warn(`configuration ${revision} is rolled back to ${written.revision}${why}`);
    const rolledBack = { revision, text, why, unready: [], readyBefore };
    return { text: goodText, parsed: parse(goodText), details: { origin, rolledBack } };
  } catch (thrown) {
    // The machine starts with what is stored, without the possibility of a rollback.
    logger.error(`configuration ${revision} was on trial and has no rollback: ${toArmatureError(thrown).message}`);
    return first;
  }
}
