import { computed, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue';
import type { Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import { callFailure } from '../../../shared/machine/rpc/call-failure.ts';
import { useMayControl } from '../use-may-control.ts';
import { AnswerLog, type CallRecord } from './call-record.ts';
import type { Motion } from './use-motion.ts';

/** How often a running call is shown anew. */
const showEveryMs = 200;

export interface PlannedCall {
  readonly method: string;
  /** JSON text of what is sent. */
  readonly request: string;
  readonly isStream: boolean;
  readonly mayMove: boolean;
  /** The answers; a call with one answer gives one. */
  readonly start: (signal: AbortSignal) => AsyncIterable<unknown>;
}

export interface CallRunner {
  readonly record: Readonly<ShallowRef<CallRecord | undefined>>;
  readonly isRunning: ComputedRef<boolean>;
  /** Whether a call may be sent now: control is on, the resource is there and not about to change. */
  readonly maySend: ComputedRef<boolean>;
  /** Settles at the end of the call, with how it ended; never rejects. */
  readonly run: (call: PlannedCall) => Promise<CallRecord['state'] | undefined>;
  readonly cancel: () => void;
}

/** One call at a time. It is sent only while control is on, and cancelled when that, or the resource, goes away. */
export function useCall(resource: () => Resource, motion: Motion): CallRunner {
  const record = shallowRef<CallRecord>();
  const isRunning = computed(() => record.value?.state === 'running');
  const maySend = useMayControl(resource);
  let running: AbortController | undefined;

  async function run(call: PlannedCall): Promise<CallRecord['state'] | undefined> {
    if (!maySend.value || isRunning.value) return undefined;
    const { method, request, isStream } = call;
    const own = new AbortController();
    running = own;
    const log = new AnswerLog();
    const startedAt = Date.now();
    const began = performance.now();
    const show = (state: CallRecord['state'], thrown?: unknown): void => {
      const now = performance.now();
      const tookMs = now - began;
      const failure = state === 'failed' ? callFailure(thrown) : undefined;
      record.value = { method, request, isStream, state, startedAt, tookMs, failure, ...log.snapshot(now) };
    };
    motion.began(own, call.mayMove);
    show('running');
    const timer = setInterval(() => show('running'), showEveryMs);
    try {
      for await (const answer of call.start(own.signal)) log.add(answer);
      show('done');
    } catch (thrown) {
      show(own.signal.aborted ? 'cancelled' : 'failed', thrown);
    }
    clearInterval(timer);
    motion.ended(own);
    return record.value?.state;
  }

  const cancel = (): void => running?.abort();
  watch(maySend, (may) => {
    if (!may) cancel();
  });
  return { record, isRunning, maySend, run, cancel };
}
