import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref } from 'vue';
import { keepText, keptText } from '../kept-text.ts';
import { followStream } from '../machine/rpc/follow-stream.ts';
import { useMachine } from '../machine/machine.ts';
import { everyLine, type LogBatch, type LogCriteria } from '../machine/machine-view.ts';

/** Maximum of counted errors; beyond it the badge shows `99+`. */
export const MAX_COUNTED = 99;

/** Each machine counts its own lines. */
const storageKey = (): string => `armature.logs.seen${globalThis.location?.search ?? ''}`;
const errors: LogCriteria = { ...everyLine, level: 'error' };

/** Errors that were logged since the log was last viewed in this browser. */
export const useLogAlerts = defineStore('log-alerts', () => {
  const machine = useMachine();
  const count = ref(0);
  const viewers = ref(0);
  /** Number of the newest line that was viewed; 0 before the first start of the page. */
  let seen = Number(keptText(() => localStorage, storageKey()) ?? 0) || 0;
  /** Number of the newest known line. */
  let newest = seen;

  function markSeen(): void {
    count.value = 0;
    if (newest === seen) return;
    seen = newest;
    keepText(() => localStorage, storageKey(), String(seen));
  }

  function take(batch: LogBatch): void {
    if (batch.lastSeq > 0) {
      // The log was never viewed, or the machine has restarted its numbers: existing errors are not new.
      const isReset = newest === 0 || batch.lastSeq < newest;
      newest = Math.max(isReset ? 0 : newest, batch.lastSeq);
      if (isReset) return markSeen();
    }
    newest = Math.max(newest, batch.lines.at(-1)?.seq ?? 0);
    count.value = Math.min(count.value + batch.lines.length + batch.dropped, MAX_COUNTED + 1);
    if (viewers.value > 0) markSeen();
  }

  onScopeDispose(
    followStream({
      connection: machine.connection,
      open: (signal) => machine.tailLogs({ criteria: errors, afterSeq: newest, backlog: MAX_COUNTED + 1 }, signal),
      onItem: take,
      // The log page says what is wrong with the log; a badge has no room for it.
      onProblem: () => undefined,
    }),
  );

  return {
    count,
    /** '' for none, `3`, `99+`. */
    label: computed(() => (count.value === 0 ? '' : count.value > MAX_COUNTED ? `${MAX_COUNTED}+` : `${count.value}`)),
    /** Call when the log is shown. Returns a function to call when it is hidden. */
    look(): () => void {
      viewers.value++;
      markSeen();
      return () => {
        markSeen();
        viewers.value--;
      };
    },
  };
});
