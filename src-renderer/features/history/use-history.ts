import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import { useMachine } from '../../shared/machine/machine.ts';
import type { VersionCriteria } from '../../shared/machine/history-view.ts';
import { useAppliedConfig } from '../../shared/stores/applied-config.ts';
import { useConnection } from '../../shared/stores/connection.ts';
import { VersionFeed } from './version-feed.ts';

/** First wait while the history lacks something: the hub gets a result a moment after this page. */
const MIN_DELAY_MS = 300;
const delayGrowth = 1.7;
const MAX_DELAY_MS = 5_000;
/** Interval of reading: nothing reports tags and notes that others edit. */
const idleDelayMs = 15_000;

/**
 * The history that matches `criteria`, kept up to date: it is read again whenever the machine's configuration or result
 * changes, and then repeatedly until the history includes that change.
 */
export function useHistory(criteria: Readonly<Ref<VersionCriteria>>) {
  const machine = useMachine();
  const connection = useConnection();
  const applied = useAppliedConfig();
  /** Changes whenever the contents of the feed change. */
  const version = ref(0);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delayMs = MIN_DELAY_MS;

  function newFeed(): VersionFeed {
    const feed: VersionFeed = new VersionFeed({
      machine,
      criteria: criteria.value,
      onChange: () => {
        if (feed === current.value) version.value++;
      },
    });
    return feed;
  }

  const current = shallowRef(newFeed());
  void read();

  /** Whether the machine has reported something that the history does not have yet. */
  function isBehind(): boolean {
    const { newest, isKept } = current.value;
    const document = applied.document;
    if (!isKept || document === undefined || document.revision === '') return false;
    if (newest?.revision !== document.revision) return true;
    const { result } = document;
    return result !== undefined && result.outcome !== 'returned' && newest.result?.outcome !== result.outcome;
  }

  async function read(): Promise<void> {
    clearTimeout(timer);
    const feed = current.value;
    if (connection.isConnected && globalThis.document.visibilityState !== 'hidden') await feed.refresh();
    if (feed !== current.value || isEnded) return;
    clearTimeout(timer);
    timer = setTimeout(() => void read(), isBehind() ? delayMs : idleDelayMs);
    delayMs = Math.min(delayMs * delayGrowth, MAX_DELAY_MS);
  }

  function readSoon(): void {
    delayMs = MIN_DELAY_MS;
    void read();
  }

  let isEnded = false;
  watch(() => {
    const { revision, result } = applied.document ?? {};
    return [connection.isConnected, revision, result?.outcome, result?.at].join(' ');
  }, readSoon);
  watch(
    () => JSON.stringify(criteria.value),
    () => {
      current.value.stop();
      current.value = newFeed();
      version.value++;
      readSoon();
    },
  );
  globalThis.document.addEventListener('visibilitychange', readSoon);
  onScopeDispose(() => {
    isEnded = true;
    clearTimeout(timer);
    current.value.stop();
    globalThis.document.removeEventListener('visibilitychange', readSoon);
  });

  return {
    feed: current,
    version,
    /** Reads again at once. */
    read: readSoon,
    /** Number of the version that is stored now; undefined if the history does not have it yet. */
    now: computed(() => {
      const newest = version.value >= 0 ? current.value.newest : undefined;
      const revision = applied.document?.revision;
      return newest !== undefined && newest.revision === revision ? newest.number : undefined;
    }),
  };
}
