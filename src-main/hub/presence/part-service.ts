import { onAbort } from '../../base/abort.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { revisionOf } from '../../base/revision.ts';
import {
  PartServiceDefinition,
  type ConnectRequest,
  type ConnectResponse,
  type Hello,
  type StoreConfigRequest,
} from '../../../proto/gen/core/hub/v1/part.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import { callerOf, type Caller } from '../access/caller.ts';
import { findPlace } from '../places/place.ts';
import type { Hub } from '../hub.ts';
import { LogPace } from '../logs/log-pace.ts';
import { storedMessage, type LiveParts } from './live-parts.ts';
import { PartStream } from './part-stream.ts';
import { guarded, type HubHandlers } from '../access/guarded.ts';
import type { PendingAuthors, TextAuthor } from '../history/pending-authors.ts';

/** A stream on which nothing is said is none. */
const HELLO_MS = 10_000;

/** What parts call: each for itself, with credentials that may serve it. */
export function partService(hub: Hub, authors: PendingAuthors): ServiceHandlers<typeof PartServiceDefinition> {
  const { store, clock, logger, live } = hub;
  const pace = new LogPace(clock);
  const serving = (caller: Caller, partId: string): Promise<unknown> =>
    caller.require('part.serve', { type: 'part', id: partId }, store.db);

  const handlers: HubHandlers<typeof PartServiceDefinition> = {
    async *connect(requests, caller, call): AsyncGenerator<ConnectResponse> {
      const reader = requests[Symbol.asyncIterator]();
      const limit = clock.after(HELLO_MS, () => call.cancel('The part did not say in time who it is.'));
      const hello = helloOf(await reader.next());
      limit.cancel();
      live.connected.admit(hello.partId, caller.author);
      await serving(caller, hello.partId);
      // Before the part is accepted: its modules are started then, and come with the key at once.
      await hub.moduleKeys.keep(hello.partId, hello.moduleKey);
      const stream = new PartStream(hello.partId, hello, clock);
      const forget = onAbort(call.signal, () => stream.end());
      try {
        await live.connect(stream);
        void readFrom(reader, stream);
        yield* stream.outbox;
      } finally {
        forget();
        live.disconnect(stream);
      }
    },

    async getConfig({ partId, revision }, caller) {
      await serving(caller, partId);
      const current = await live.current(partId);
      return { config: current === undefined || current.revision === revision ? undefined : storedMessage(current) };
    },

    async storeConfig(request, caller) {
      await serving(caller, request.partId);
      const version = await versionOf(request, caller);
      const outcome = await live.store(version, live.connected.get(request.partId));
      const value = storedMessage(outcome.version);
      return { outcome: outcome.kind === 'stored' ? { $case: 'stored', value } : { $case: 'conflict', value } };
    },

    async reportResult({ partId, result, summary, subjects }, caller) {
      await serving(caller, partId);
      if (result === undefined) throw new ArmatureError('call.bad_argument', 'The result is missing.');
      if (await live.history.noteResult(partId, result, summary, subjects)) live.historyChanged(partId);
      return {};
    },

    async uploadLogs({ partId, logId, entries }, caller, call) {
      await serving(caller, partId);
      const storedSeq = BigInt(await hub.logs.append(partId, logId, entries));
      const delayMs = pace.delayMs(partId, entries.length);
      if (delayMs > 0) {
        await new Promise<void>((resolve) => {
          const timer = clock.after(delayMs, resolve);
          onAbort(call.signal, () => {
            timer.cancel();
            resolve();
          });
        });
      }
      return { storedSeq };
    },
  };

  return guarded(PartServiceDefinition, handlers, hub);

  async function readFrom(reader: AsyncIterator<ConnectRequest>, stream: PartStream): Promise<void> {
    try {
      for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
        const status = stream.receive(next.value);
        if (status !== undefined) live.presence.reported(stream.partId, status);
      }
      stream.end();
    } catch (thrown) {
      // The call ended: whoever waits for its answers has heard of it.
      logger.debug(`The stream of part ${stream.partId} ended: ${toArmatureError(thrown).message}`);
      stream.end();
    }
  }

  /** Who wrote a text that a part stores: not who the part is, which may have come with anybody's key. */
  async function authorOf(request: StoreConfigRequest, caller: Caller): Promise<TextAuthor> {
    const { partId, text, authorKeyId, author: name } = request;
    const asked = authors.get(partId, revisionOf(text));
    if (asked !== undefined) return asked;
    if (authorKeyId !== undefined) {
      const author = { type: 'api-key', id: authorKeyId } as const;
      const holder = await callerOf({ kind: 'api-key', entity: authorKeyId }, store.db, () => undefined);
      const place = await findPlace(store.db, { type: 'part', id: partId });
      // A part speaks for those alone who may do what it says that they did.
      if (place !== undefined && holder.may('config.write', place)) {
        return { author, name: await hub.versions.nameOf(author) };
      }
    }
    return { author: caller.author.type === 'local' ? caller.author : { type: 'part-secret', id: partId }, name };
  }

  async function versionOf(request: StoreConfigRequest, caller: Caller): Promise<Parameters<LiveParts['store']>[0]> {
    const { partId, text, baseRevision, note, summary, subjects, restoredFrom } = request;
    const { author, name } = await authorOf(request, caller);
    const ownsConfig = live.connected.get(partId)?.hello.ownsConfig === true;
    return {
      partId,
      text,
      // What its file holds is a fact.
      baseRevision: ownsConfig ? undefined : baseRevision,
      author,
      authorName: name,
      note,
      summary,
      subjects,
      restoredFrom: Number(restoredFrom),
    };
  }
}

function helloOf(result: IteratorResult<ConnectRequest>): Hello {
  const message = result.done === true ? undefined : result.value.message;
  if (message?.$case === 'hello' && message.value.partId !== '') return message.value;
  throw new ArmatureError('call.bad_argument', 'The first message of Connect is Hello, which says what part calls.');
}
