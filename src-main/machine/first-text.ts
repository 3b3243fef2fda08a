import { toArmatureError } from '../base/errors.ts';
import type { ConfigurationParts, FirstText } from './config-state.ts';
import type { SafeApply } from './safe-apply.ts';

/**
 * The text to begin with: the stored one, unless it was on trial and had its
 * second chance already, or cannot be used any more; then the one before is
 * stored again. Throws `config.unreadable` where there is no file to read.
 */
export async function readFirstText(parts: ConfigurationParts, safe: SafeApply): Promise<FirstText> {
  const { source, parse, logger } = parts;
  const { text, revision } = await source.read();
  const first: FirstText = { text, parsed: parse(text), course: {} };
  const probation = await safe.recall(revision);
  if (probation === undefined) return first;
  const isUsable = first.parsed.config !== undefined;
  try {
    await safe.record(probation);
    if (isUsable && probation.restarts < 2) return { ...first, course: { probation } };
    const why = isUsable ? ': the server ended twice while the new one was on trial' : ': the new one has errors';
    const { goodText, readyBefore } = probation;
    const written = await source.write(goodText, revision);
    if (written.kind === 'conflict') return { ...first, text: written.text, parsed: parse(written.text) };
    logger.warn(`configuration ${revision} is left for ${written.revision}${why}`);
    safe.enter(probation);
    const returned = { revision, text, why, unready: [], readyBefore };
    return { text: goodText, parsed: parse(goodText), course: { returned } };
  } catch (thrown) {
    // What is stored is what runs: without a way back, but a machine that starts.
    logger.error(`configuration ${revision} was on trial and has no way back: ${toArmatureError(thrown).message}`);
    return first;
  }
}
