import { ArmatureError } from '../../base/errors.ts';
import { revisionOf } from '../../base/revision.ts';
import type { PartServiceDefinition, StoreConfigRequest } from '../../../proto/gen/core/hub/v1/part.ts';
import { authorName } from '../access/author.ts';
import { callerOf, type Caller } from '../access/caller.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { findPlace } from '../places/place.ts';
import type { LiveParts } from '../presence/live-parts.ts';
import type { Store } from '../storage/store.ts';
import type { PartConfigs, VersionRequest } from './part-configs.ts';
import { storedMessage } from './part-versions.ts';
import type { PendingAuthors, TextAuthor } from './pending-authors.ts';

export interface PartConfigCallsOptions {
  readonly store: Store;
  readonly configs: PartConfigs;
  readonly live: LiveParts;
}

/** Calls with which each part fetches and stores its own configuration. */
export function partConfigCalls(
  { store, configs, live }: PartConfigCallsOptions,
  authors: PendingAuthors,
): HubHandlers<typeof PartServiceDefinition> {
  const { versions, history } = configs;
  const requireServe = (caller: Caller, partId: string): Promise<unknown> =>
    caller.require('part.serve', { type: 'part', id: partId }, store.db);

  return {
    async getConfig({ partId, revision }, caller) {
      await requireServe(caller, partId);
      const current = await versions.current(partId);
      return { config: current === undefined || current.revision === revision ? undefined : storedMessage(current) };
    },

    async storeConfig(request, caller) {
      await requireServe(caller, request.partId);
      const version = await versionOf(request, caller);
      const outcome = await configs.store(version, live.connected.get(request.partId));
      const value = storedMessage(outcome.version);
      return { outcome: outcome.kind === 'stored' ? { $case: 'stored', value } : { $case: 'conflict', value } };
    },

    async reportResult({ partId, result, summary, subjects }, caller) {
      await requireServe(caller, partId);
      if (result === undefined) throw new ArmatureError('call.bad_argument', 'The result is missing.');
      if (await history.noteResult(partId, result, summary, subjects)) live.changed(partId);
      return {};
    },
  };

  /**
   * The author of a text that a part stores. It is not the part's own identity: a part may connect with anybody's key.
   */
  async function authorOf(request: StoreConfigRequest, caller: Caller): Promise<TextAuthor> {
    const { partId, text, authorKeyId, author: name } = request;
    const asked = authors.get(partId, revisionOf(text));
    if (asked !== undefined) return asked;
    if (authorKeyId !== undefined) {
      const author = { type: 'api-key', id: authorKeyId } as const;
      const holder = await callerOf({ kind: 'api-key', entity: authorKeyId }, store.db, () => undefined);
      const place = await findPlace(store.db, { type: 'part', id: partId });
      // A part may name only an author who is allowed to change this configuration.
      if (place !== undefined && holder.may('config.write', place)) {
        return { author, name: await authorName(author, store.db) };
      }
    }
    return { author: caller.author.type === 'local' ? caller.author : { type: 'part-secret', id: partId }, name };
  }

  async function versionOf(request: StoreConfigRequest, caller: Caller): Promise<VersionRequest> {
    const { partId, text, baseRevision, note, summary, subjects, restoredFrom } = request;
    const { author, name } = await authorOf(request, caller);
    const ownsConfig = live.connected.get(partId)?.hello.ownsConfig === true;
    return {
      partId,
      text,
      // A text from the machine's own file is stored in any case.
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
