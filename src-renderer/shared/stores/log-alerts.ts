import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref } from 'vue';
import { keepText, keptText } from '../kept-text.ts';
import { followStream } from '../machine/rpc/follow-stream.ts';
import { useMachine } from '../machine/machine.ts';
import { everyLine, type LogBatch, type LogCriteria } from '../machine/machine-view.ts';

/** Counted up to here; beyond it the badge says that there are more. */
export const mostCounted = 99;

/** Each machine counts its own lines. */
const storageKey = (): string => `armature.logs.seen${globalThis.location?.search ?? ''}`;
const errors: LogCriteria = { ...everyLine, level: 'error' };

/** Errors that were logged since somebody last looked at the log, in this browser. */
export const useLogAlerts = defineStore('log-alerts', () => {
  const machine = useMachine();
  const count = ref(0);
  const lookers = ref(0);
  /** Number of the newest line that somebody looked at; 0 before the first start of the page. */
  let seen = Number(keptText(() => localStorage, storageKey()) ?? 0) || 0;
  /** Number of the newest line that is known of. */
  let newest = seen;

  function see(): void {
    count.value = 0;
    if (newest === seen) return;
    seen = newest;
    keepText(() => localStorage, storageKey(), String(seen));
  }

  function take(batch: LogBatch): void {
    if (batch.lastSeq > 0) {
      // Nobody ever looked, or the machine has begun its numbers anew: what there was is not news.
      const isStrange = newest === 0 || batch.lastSeq < newest;
      newest = Math.max(isStrange ? 0 : newest, batch.lastSeq);
      if (isStrange) return see();
    }
    newest = Math.max(newest, batch.lines.at(-1)?.seq ?? 0);
    count.value = Math.min(count.value + batch.lines.length + batch.dropped, mostCounted + 1);
    if (lookers.value > 0) see();
  }

  onScopeDispose(
    followStream({
      connection: machine.connection,
      open: (signal) => machine.tailLogs({ criteria: errors, afterSeq: newest, backlog: mostCounted + 1 }, signal),
      onItem: take,
      // The log page says what is wrong with the log; a badge has no room for it.
      onProblem: () => undefined,
    }),
  );

  return {
    count,
    /** '' for none, `3`, `99+`. */
    label: computed(() => (count.value === 0 ? '' : count.value > mostCounted ? `${mostCounted}+` : `${count.value}`)),
    /** The log is on the screen from now on. Returns how to say that it is no more. */
    look(): () => void {
      lookers.value++;
      see();
      return () => {
        see();
        lookers.value--;
      };
    },
  };
});
