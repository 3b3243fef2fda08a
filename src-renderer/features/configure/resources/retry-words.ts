import { timeOf } from '../../../shared/machine/machine-view.ts';
import type { Text } from '../../../shared/text.ts';

/** Failed attempts, and when the next one is: `3 attempts in a row · next try in 4 s`; '' for neither. */
export function retryWords(
  { attempts, nextRetry }: { readonly attempts: number; readonly nextRetry?: Date | undefined },
  nowMs: number,
  t: Text,
): string {
  const words = attempts > 0 ? [t('state.attempts', { count: attempts })] : [];
  if (timeOf(nextRetry) > 0) {
    const seconds = Math.max(0, Math.ceil((timeOf(nextRetry) - nowMs) / 1000));
    words.push(seconds === 0 ? t('condition.tryingNow') : t('condition.nextTry', { seconds }));
  }
  return words.join(' · ');
}
