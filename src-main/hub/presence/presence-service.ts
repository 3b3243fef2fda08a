import { onAbort } from '../../base/async/abort.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import type { Emitter } from '../../base/async/emitter.ts';
import type { Clock } from '../../base/clock.ts';
import type {
  PresenceServiceDefinition,
  Presence,
  PresenceScope,
  WatchPresenceResponse,
} from '../../../proto/gen/core/hub/v1/presence.ts';
import type { Caller } from '../access/caller.ts';
import type { Target } from '../places/place.ts';
import type { Store } from '../storage/store.ts';
import { partsById, visibleParts, type PartPlace } from './part-places.ts';
import { presenceMessage } from './presence-message.ts';
import type { HubHandlers } from '../access/guarded.ts';
import type { LiveParts } from './live-parts.ts';

/** Changes within this time are sent together: thousands of parts may reconnect at once. */
const BATCH_MS = 100;

export interface PresenceServiceOptions {
  readonly store: Store;
  readonly live: LiveParts;
  /** Emits after each change to organizations, locations, machines, parts, and their names. */
  readonly fleetChanges: Emitter;
  readonly clock: Clock;
}

/** `core.hub.v1.PresenceService`: which parts are online, and the last status of each. */
export function presenceService(options: PresenceServiceOptions): HubHandlers<typeof PresenceServiceDefinition> {
  const { store, live, fleetChanges, clock } = options;

  /** Parts within the scope that the caller may see. */
  const partsIn = async (scope: PresenceScope | undefined, caller: Caller): Promise<PartPlace[]> => {
    const target = targetOf(scope);
    if (target !== undefined) await caller.require(`${target.type}.read`, target, store.db);
    return visibleParts(store, target, caller);
  };

  const read = async (parts: readonly PartPlace[], isBrief: boolean): Promise<Presence[]> => {
    const rows = await live.presence.read(parts.map(({ id }) => id));
    return parts.map((part) => presenceMessage(part, rows.get(part.id), isBrief));
  };

  return {
    async list({ scope, brief }, caller) {
      return { parts: await read(await partsIn(scope, caller), brief) };
    },

    async *watch({ scope, brief }, caller, call): AsyncGenerator<WatchPresenceResponse> {
      const changed = new Set<string>();
      const wake = new AsyncQueue<undefined>();
      let isFleetChanged = false;
      let isWaking = false;
      const wakeSoon = (): void => {
        if (isWaking) return;
        isWaking = true;
        clock.after(BATCH_MS, () => {
          isWaking = false;
          if (wake.size === 0) wake.push(undefined);
        });
      };
      // Subscribe before the first read, so that changes during it are not missed.
      const unsubscribes = [
        live.onAnyChange((partId) => {
          changed.add(partId);
          wakeSoon();
        }),
        fleetChanges.on(() => {
          isFleetChanged = true;
          wakeSoon();
        }),
        onAbort(call.signal, () => wake.end()),
      ];
      try {
        let watched = new Map((await partsIn(scope, caller)).map((part) => [part.id, part]));
        yield { parts: await read([...watched.values()], brief), removed: [], fleetChanged: false };
        for await (const _changed of wake) {
          const ids = new Set([...changed].filter((id) => watched.has(id)));
          changed.clear();
          const fleetChanged = isFleetChanged;
          isFleetChanged = false;
          let removed: string[] = [];
          if (fleetChanged) {
            const now = new Map((await visibleParts(store, targetOf(scope), caller)).map((part) => [part.id, part]));
            removed = [...watched.keys()].filter((id) => !now.has(id));
            for (const [id, part] of now) if (!isSame(part, watched.get(id))) ids.add(id);
            watched = now;
          }
          const some = await partsById(store, [...ids]);
          if (some.size === 0 && !fleetChanged) continue;
          yield { parts: await read([...some.values()], brief), removed, fleetChanged };
        }
      } finally {
        for (const unsubscribe of unsubscribes) unsubscribe();
      }
    },
  };
}

function isSame(one: PartPlace, other: PartPlace | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function targetOf(scope: PresenceScope | undefined): Target | undefined {
  if (scope === undefined) return undefined;
  const { partId, machineId, locationId, organizationId } = scope;
  if (partId !== '') return { type: 'part', id: partId };
  if (machineId !== '') return { type: 'machine', id: machineId };
  if (locationId !== '') return { type: 'location', id: locationId };
  return organizationId === '' ? undefined : { type: 'organization', id: organizationId };
}
