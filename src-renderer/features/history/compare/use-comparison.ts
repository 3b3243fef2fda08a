import { computed, ref, shallowRef, watch } from 'vue';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { VersionText, VersionView } from '../../../shared/machine/history-view.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { useAppliedConfig } from '../../../shared/stores/applied-config.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import { useDraftText } from '../../../shared/stores/draft-text.ts';
import type { ComparedWith } from '../history-address.ts';

/** Texts never change: those looked at last are kept. */
const mostKept = 20;

export interface ComparisonParts {
  /** Number of the open version. */
  readonly open: () => number;
  /** What somebody chose to compare it with; undefined where nobody did. */
  readonly chosen: () => ComparedWith | undefined;
  /** The open version as the list has it; undefined where the list does not. */
  readonly known: () => VersionView | undefined;
  /** The version that is stored now. */
  readonly nowNumber: () => number | undefined;
}

/**
 * The open version, what it is compared with, and the texts of both. Undefined while they are read; what the draft and
 * the present are is followed.
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
  /** Unless somebody chose: what is stored now, and of that what it was written from. */
  const other = computed(() => chosen() ?? (open() === nowNumber() ? version.value?.base : 'now'));

  async function read(number: number): Promise<void> {
    if (kept.value.has(number) || reading.has(number)) return;
    reading.add(number);
    try {
      const found = await machine.history.get(number);
      kept.value = new Map([...kept.value, [number, found] as const].slice(-mostKept));
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
    /** Of the open version. */
    to: computed(() => kept.value.get(open())?.text),
    from: computed(() => {
      const side = other.value;
      if (side === undefined) return undefined;
      if (side === 'now') return applied.document?.text;
      return side === 'draft' ? draft.text : side === 0 ? '' : kept.value.get(side)?.text;
    }),
  };
}
