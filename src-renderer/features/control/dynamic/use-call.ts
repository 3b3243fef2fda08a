import { computed, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue';
import type { Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import { callFailure } from '../../../shared/machine/rpc/call-failure.ts';
import { useMayControl } from '../use-may-control.ts';
import { AnswerLog, type CallRecord } from './call-record.ts';
import type { Motion } from './use-motion.ts';

/** How often the record of a running call is updated. */
const UPDATE_INTERVAL_MS = 200;

export interface PlannedCall {
  readonly method: string;
  /** The request as JSON text. */
  readonly request: string;
  readonly isStream: boolean;
  readonly mayMove: boolean;
  /** Starts the call; gives its answers, one for a unary call. */
  readonly start: (signal: AbortSignal) => AsyncIterable<unknown>;
}

export interface CallRunner {
  readonly record: Readonly<ShallowRef<CallRecord | undefined>>;
  readonly isRunning: ComputedRef<boolean>;
  /** Whether a call may be sent now: control is on, the resource is ready, and the draft does not change it. */
  readonly maySend: ComputedRef<boolean>;
  /** Resolves at the end of the call with how it ended; undefined where it was not sent. Never rejects. */
  readonly run: (call: PlannedCall) => Promise<CallRecord['state'] | undefined>;
  readonly cancel: () => void;
}

/** Runs one call at a time. It is sent only while `maySend`, and cancelled when that ends. */
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
    const timer = setInterval(() => show('running'), UPDATE_INTERVAL_MS);
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
