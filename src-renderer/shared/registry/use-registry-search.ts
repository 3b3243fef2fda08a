import { onScopeDispose, shallowRef, watch, type Ref } from 'vue';
import { useFleetCalls } from '../machine/fleet.ts';
import { followStream } from '../machine/rpc/follow-stream.ts';
import { RegistrySearch, type SearchView } from './registry-search.ts';

/** Changes within this time cause only one request. */
const gatherMs = 300;

/**
 * Searches the registry for a text as it changes, and again when something is published, changed or yanked, and when the
 * hub is connected again.
 * @param onChanged called for each module that changed
 */
export function useRegistrySearch(
  text: Readonly<Ref<string>>,
  onChanged: (moduleId: string) => void = () => undefined,
) {
  const { registry, connection } = useFleetCalls();
  const view = shallowRef<SearchView>();
  const search = new RegistrySearch(registry, (next) => (view.value = next));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isConnected = shallowRef(false);
  const unsubscribe = connection.subscribe(({ kind }) => (isConnected.value = kind === 'connected'));
  let isFirst = true;

  watch(
    [text, isConnected],
    ([wanted, connected], [, wasConnected]) => {
      if (!connected) return;
      if (!wasConnected && !isFirst) void search.again();
      search.find(wanted, !isFirst);
      isFirst = false;
    },
    { immediate: true },
  );
  const unfollow = followStream({
    connection,
    open: (signal) => registry.watchChanges(signal),
    onItem: (moduleId) => {
      onChanged(moduleId);
      timer ??= setTimeout(() => {
        timer = undefined;
        void search.again();
      }, gatherMs);
    },
    // The search itself says what is wrong with the registry.
    onProblem: () => undefined,
  });
  onScopeDispose(() => {
    clearTimeout(timer);
    unfollow();
    unsubscribe();
    search.stop();
  });
  return { view, isConnected, again: () => search.again(), more: () => search.more() };
}
