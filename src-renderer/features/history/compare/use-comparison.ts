import { computed, ref, shallowRef, watch } from 'vue';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { VersionText, VersionView } from '../../../shared/machine/history-view.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { useAppliedConfig } from '../../../shared/stores/applied-config.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import { useDraftText } from '../../../shared/stores/draft-text.ts';
import type { ComparedWith } from '../history-address.ts';

/** Texts of versions never change: the last ones read are kept. */
const MAX_KEPT_TEXTS = 20;

export interface ComparisonParts {
  /** Number of the open version. */
  readonly open: () => number;
  /** What a person chose to compare it with; undefined if nobody chose. */
  readonly chosen: () => ComparedWith | undefined;
  /** The open version from the list; undefined if the list has not read it. */
  readonly known: () => VersionView | undefined;
  /** Number of the version that is stored now. */
  readonly nowNumber: () => number | undefined;
}

/**
 * The open version, what it is compared with, and both texts; undefined while they are read. Follows the draft and the
 * stored configuration.
 */
export function useComparison({ open, chosen, known, nowNumber }: ComparisonParts) {
  const machine = useMachine();
  const connection = useConnection();
  const applied = useAppliedConfig();
  const draft = useDraftText();
  const kept = shallowRef<ReadonlyMap<number, VersionText>>(new Map());
  const problem = ref('');
  const reading = new Set<number>();
  const version = computed(() => known() ?? kept.value.get(open())?.version);
  /** By default what is stored now; for the stored version itself, the version it is based on. */
  const other = computed(() => chosen() ?? (open() === nowNumber() ? version.value?.base : 'now'));

  async function read(number: number): Promise<void> {
    if (kept.value.has(number) || reading.has(number)) return;
    reading.add(number);
    try {
      const found = await machine.history.get(number);
      kept.value = new Map([...kept.value, [number, found] as const].slice(-MAX_KEPT_TEXTS));
      problem.value = '';
    } catch (thrown) {
      problem.value = messageOf(thrown);
    } finally {
      reading.delete(number);
    }
  }

  function readBoth(): void {
    problem.value = '';
    for (const side of [open(), other.value]) if (typeof side === 'number' && side > 0) void read(side);
  }
  watch(() => [open(), other.value, connection.isConnected], readBoth, { immediate: true });

  return {
    problem,
    again: readBoth,
    version,
    other,
    /** Text of the open version. */
    to: computed(() => kept.value.get(open())?.text),
    from: computed(() => {
      const side = other.value;
      if (side === undefined) return undefined;
      if (side === 'now') return applied.document?.text;
      return side === 'draft' ? draft.text : side === 0 ? '' : kept.value.get(side)?.text;
    }),
  };
}
