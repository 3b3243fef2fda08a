import { WatchResponse, type Dashboard } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { onAbort } from '../async/abort.ts';
import { AsyncQueue } from '../async/async-queue.ts';

export interface WatchedDashboards {
  readonly read: () => Promise<readonly Dashboard[]>;
  /** Calls back after a change, and perhaps without one. Returns an unsubscribe function. */
  readonly onChange: (listener: () => void) => () => void;
  readonly isReadOnly: boolean;
}

/** The dashboards at once, then again after each change, until `signal` aborts. */
export async function* watchDashboards(
  { read, onChange, isReadOnly }: WatchedDashboards,
  signal: AbortSignal,
): AsyncGenerator<WatchResponse> {
  // Each message has them all, so a slow reader needs only the latest one.
  const wake = new AsyncQueue<undefined>();
  const changed = (): void => {
    if (wake.size === 0) wake.push(undefined);
  };
  const unsubscribers = [onChange(changed), onAbort(signal, () => wake.end())];
  try {
    let sent: Uint8Array | undefined;
    changed();
    for await (const _changed of wake) {
      const response: WatchResponse = { dashboards: [...(await read())], readOnly: isReadOnly };
      const bytes = encodeMessage(WatchResponse, response);
      if (sent !== undefined && Buffer.compare(bytes, sent) === 0) continue;
      sent = bytes;
      yield response;
    }
  } finally {
    for (const unsubscribe of unsubscribers) unsubscribe();
  }
}
