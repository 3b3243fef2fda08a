import { computed, type Ref } from 'vue';
import type { DataSource } from '../../../../proto/gen/core/hub/v1/data.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { usePolled } from '../../../shared/machine/use-polled.ts';

/** Captured data arrives every few seconds at most, so more frequent polling would show nothing new. */
const restMs = 5_000;

/** Why there is no list. `noData`: the hub does not support captured data. */
export type SourcesProblemKind = 'noData' | 'denied' | 'failed';

export interface SourcesView {
  readonly sources: readonly DataSource[];
  /** False until the first answer. */
  readonly hasBegun: boolean;
  readonly isConnected: boolean;
  readonly problem: { readonly kind: SourcesProblemKind; readonly message: string } | undefined;
}

const problemKinds: Readonly<Record<string, SourcesProblemKind>> = {
  UNIMPLEMENTED: 'noData',
  PERMISSION_DENIED: 'denied',
  UNAUTHENTICATED: 'denied',
};

/** Polls the list of sources every few seconds while the page is visible; `refresh` reads it at once. */
export function useSources(): { readonly view: Readonly<Ref<SourcesView>>; readonly refresh: () => Promise<void> } {
  const { data } = useFleetCalls();
  const question = { ask: (signal: AbortSignal) => data.sources(signal), restMs: () => restMs };
  const { view: polled, refresh } = usePolled<readonly DataSource[]>(() => question);
  const view = computed<SourcesView>(() => {
    const { value, failure, isConnected } = polled.value;
    const problem = failure && { kind: problemKinds[failure.code] ?? 'failed', message: failure.message };
    return { sources: value ?? [], hasBegun: value !== undefined, isConnected, problem };
  });
  return { view, refresh };
}
