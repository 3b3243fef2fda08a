import { onAbort } from '../../base/async/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type {
  ConnectRequest,
  ConnectResponse,
  Hello,
  PartServiceDefinition,
} from '../../../proto/gen/core/hub/v1/part.ts';
import type { HubHandlers } from '../access/guarded.ts';
import type { ModuleKeys } from '../access/keys/module-keys.ts';
import type { Store } from '../storage/store.ts';
import type { LiveParts } from './live-parts.ts';
import { PartStream } from './part-stream.ts';

/** Time limit for the first message of a stream. */
const HELLO_TIMEOUT_MS = 10_000;

export interface PartConnectOptions {
  readonly store: Store;
  readonly live: LiveParts;
  readonly moduleKeys: ModuleKeys;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The stream that each part keeps open, for callers that may serve the part. */
export function partConnect(options: PartConnectOptions): HubHandlers<typeof PartServiceDefinition> {
  const { store, live, moduleKeys, clock, logger } = options;

  return {
    async *connect(requests, caller, call): AsyncGenerator<ConnectResponse> {
      const reader = requests[Symbol.asyncIterator]();
      const limit = clock.after(HELLO_TIMEOUT_MS, () => call.cancel('The part did not send Hello in time.'));
      const hello = helloOf(await reader.next());
      limit.cancel();
      live.connected.admit(hello.partId, caller.author);
      await caller.require('part.serve', { type: 'part', id: hello.partId }, store.db);
      // Before the part is accepted, because its modules start then and use the key at once.
      await moduleKeys.keep(hello.partId, hello.moduleKey);
      const stream = new PartStream(hello.partId, hello, clock);
      const unsubscribe = onAbort(call.signal, () => stream.end());
      try {
        await live.connect(stream);
        void readFrom(reader, stream);
        yield* stream.outbox;
      } finally {
        unsubscribe();
        live.disconnect(stream);
      }
    },
  };

  async function readFrom(reader: AsyncIterator<ConnectRequest>, stream: PartStream): Promise<void> {
    try {
      for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
        const status = stream.receive(next.value);
        if (status !== undefined) live.presence.reported(stream.partId, status);
      }
      stream.end();
    } catch (thrown) {
      // The call has ended; pending calls to the part have already failed.
      logger.debug(`The stream of part ${stream.partId} ended: ${toArmatureError(thrown).message}`);
      stream.end();
    }
  }
}

function helloOf(result: IteratorResult<ConnectRequest>): Hello {
  const message = result.done === true ? undefined : result.value.message;
  if (message?.$case === 'hello' && message.value.partId !== '') return message.value;
  throw new ArmatureError('call.bad_argument', 'The first message of Connect is Hello, which says what part calls.');
}
