import { computed, type ComputedRef, type Ref } from 'vue';
import { useConnection } from '../stores/connection.ts';
import { useText } from '../text.ts';
import { useNow } from '../timing/use-now.ts';

/** How states are shown that may be of before the connection was lost. */
export interface LastKnown {
  /** Whether the connection is lost, so that nothing on the page is known to be so now. */
  readonly isOld: ComputedRef<boolean>;
  /** A state in words: "ready", or "ready, last known". */
  words(state: string): string;
}

export function useLastKnown(): LastKnown {
  const t = useText();
  const connection = useConnection();
  const isOld = computed(() => connection.lostAt !== undefined);
  return { isOld, words: (state) => (isOld.value ? t('state.lastKnown', { state }) : state) };
}

/**
 * The time for ages and countdowns of what the machine reports, ms. It stands still while the connection is lost:
 * nothing is known of the time since then.
 */
export function useMachineNow(intervalMs: number): Readonly<Ref<number>> {
  const now = useNow(intervalMs);
  const connection = useConnection();
  return computed(() => connection.lostAt ?? now.value);
}
