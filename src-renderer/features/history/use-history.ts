import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import { useMachine } from '../../shared/machine/machine.ts';
import type { VersionCriteria } from '../../shared/machine/history-view.ts';
import { useAppliedConfig } from '../../shared/stores/applied-config.ts';
import { useConnection } from '../../shared/stores/connection.ts';
import { VersionFeed } from './version-feed.ts';

/** The hub hears of a result a moment after this page does. */
const soonMs = 300;
const growth = 1.7;
const longestSoonMs = 5_000;
/** Tags and notes that somebody gives elsewhere are told by nobody. */
const restMs = 15_000;

/**
 * The history under a filter, kept up to date: read again whenever the configuration says something new, and then until
 * what it said is in the history.
 */
export function useHistory(criteria: Readonly<Ref<VersionCriteria>>) {
  const machine = useMachine();
  const connection = useConnection();
  const applied = useAppliedConfig();
  /** Another one after each change of the feed, which changes in place. */
  const version = ref(0);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delayMs = soonMs;

  function begin(): VersionFeed {
    const feed: VersionFeed = new VersionFeed({
      machine,
      criteria: criteria.value,
      onChange: () => {
        if (feed === current.value) version.value++;
      },
    });
    return feed;
  }

  const current = shallowRef(begin());
  void read();

  /** Whether the machine has said something that the history does not have yet. */
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
    timer = setTimeout(() => void read(), isBehind() ? delayMs : restMs);
    delayMs = Math.min(delayMs * growth, longestSoonMs);
  }

  function readSoon(): void {
    delayMs = soonMs;
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
      current.value = begin();
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
    /** Reads now what may have changed. */
    read: readSoon,
    /** Number of the version that is stored now; undefined where the history does not have it yet. */
    now: computed(() => {
      const newest = version.value >= 0 ? current.value.newest : undefined;
      const revision = applied.document?.revision;
      return newest !== undefined && newest.revision === revision ? newest.number : undefined;
    }),
  };
}
