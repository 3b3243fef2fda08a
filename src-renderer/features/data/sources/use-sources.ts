import { onScopeDispose, shallowRef, type Ref } from 'vue';
import type { DataSource } from '../../../../proto/gen/core/hub/v1/data.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { callFailure } from '../../../shared/machine/rpc/call-failure.ts';

/** What is captured arrives every few seconds at most: sooner would tell no more. */
const restMs = 5_000;

/** Why there is no list. `noData`: the hub knows nothing of captured data. */
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

/** What there is, asked for again every few seconds while the page is seen, and at once by `refresh`. */
export function useSources(): { readonly view: Readonly<Ref<SourcesView>>; readonly refresh: () => Promise<void> } {
  const { data, connection } = useFleetCalls();
  const view = shallowRef<SourcesView>({ sources: [], hasBegun: false, isConnected: false, problem: undefined });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  async function read(): Promise<void> {
    clearTimeout(timer);
    asking?.abort();
    if (!view.value.isConnected || document.visibilityState === 'hidden') return;
    const own = new AbortController();
    asking = own;
    try {
      const sources = await data.sources(own.signal);
      if (own.signal.aborted) return;
      view.value = { ...view.value, sources, hasBegun: true, problem: undefined };
    } catch (thrown) {
      if (own.signal.aborted) return;
      const { code, message } = callFailure(thrown);
      view.value = { ...view.value, problem: { kind: problemKinds[code] ?? 'failed', message } };
    }
    timer = setTimeout(() => void read(), restMs);
  }

  const readSoon = (): void => void read();
  const unsubscribe = connection.subscribe(({ kind }) => {
    view.value = { ...view.value, isConnected: kind === 'connected' };
    readSoon();
  });
  document.addEventListener('visibilitychange', readSoon);
  onScopeDispose(() => {
    clearTimeout(timer);
    asking?.abort();
    unsubscribe();
    document.removeEventListener('visibilitychange', readSoon);
  });
  return { view, refresh: read };
}
