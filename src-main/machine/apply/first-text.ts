import { toArmatureError } from '../../base/errors.ts';
import type { ConfigOrigin } from '../config/source/config-source.ts';
import type { ConfigurationParts, FirstText } from './config-state.ts';
import { revisionOf } from '../../base/revision.ts';
import type { Deferral } from './deferral.ts';
import type { SafeApply } from './safe-apply.ts';

/** Of a text that is gone back to; `why` is the second half of a sentence. */
export function returnOrigin(why: string): ConfigOrigin {
  const summary = 'returned to the configuration before';
  return { author: 'machine', note: `${summary}${why}`, summary, subjects: [], restoredFrom: 0, isReturn: true };
}

/**
 * The text to begin with: the stored one, unless
 * - it waited for its maintenance window. Then what ran before it does, since the end of a server, which a failure may
 *   bring about, is nobody's permission; the stored one goes on waiting.
 * - it was on trial and had its second chance already, or cannot be used any more; then the one before is stored again.
 *
 * Throws `config.unreadable` where there is no file to read.
 */
export async function readFirstText(
  parts: ConfigurationParts,
  safe: SafeApply,
  deferral: Deferral,
): Promise<FirstText> {
  const { source, parse, logger } = parts;
  const stored = await source.read();
  const kept = await deferral.recall(stored.revision);
  if (kept !== undefined) {
    const first: FirstText = { text: kept.runningText, parsed: parse(kept.runningText), course: {} };
    const waiting = { text: stored.text, parsed: parse(stored.text), deferral: kept };
    if (first.parsed.config !== undefined && waiting.parsed.config !== undefined) {
      logger.warn(
        `configuration ${stored.revision} waits for its maintenance window since ${new Date(kept.since).toISOString()}: the machine starts with ${revisionOf(kept.runningText)}, which ran before.`,
      );
      const begun = await firstOnTrial(parts, safe, first, true);
      // A text that was left is not what the next start begins with.
      return { ...begun, waiting: { ...waiting, deferral: { ...kept, runningText: begun.text } } };
    }
    deferral.clear();
  }
  const { text } = stored;
  return firstOnTrial(parts, safe, { text, parsed: parse(text), course: {} }, false);
}

/** @param isCovered another text is stored over it, and stays */
async function firstOnTrial(
  parts: ConfigurationParts,
  safe: SafeApply,
  first: FirstText,
  isCovered: boolean,
): Promise<FirstText> {
  const { source, parse, logger } = parts;
  const { text } = first;
  const revision = revisionOf(text);
  const probation = await safe.recall(revision);
  if (probation === undefined) return first;
  const isUsable = first.parsed.config !== undefined;
  try {
    await safe.record(probation);
    if (isUsable && probation.restarts < 2) return { ...first, course: { probation } };
    const why = isUsable ? ': the server ended twice while the new one was on trial' : ': the new one has errors';
    const { goodText, readyBefore } = probation;
    if (isCovered) {
      logger.warn(`configuration ${revision} is left for ${revisionOf(goodText)}${why}`);
      safe.enter(probation);
      return { text: goodText, parsed: parse(goodText), course: {} };
    }
    const origin = returnOrigin(why);
    const written = await source.write(goodText, revision, origin);
    if (written.kind === 'conflict') return { ...first, text: written.text, parsed: parse(written.text) };
    logger.warn(`configuration ${revision} is left for ${written.revision}${why}`);
    safe.enter(probation);
    const returned = { revision, text, why, unready: [], readyBefore };
    return { text: goodText, parsed: parse(goodText), course: { origin, returned } };
  } catch (thrown) {
    // What is stored is what runs: without a way back, but a machine that starts.
    logger.error(`configuration ${revision} was on trial and has no way back: ${toArmatureError(thrown).message}`);
    return first;
  }
}
