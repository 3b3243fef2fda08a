import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref, shallowRef } from 'vue';
import { type Presence, Presence_State, type WatchPresenceResponse } from '../../../proto/gen/core/hub/v1/presence.ts';
import { callFailure } from '../machine/rpc/call-failure.ts';
import { followStream, messageOf } from '../machine/rpc/follow-stream.ts';
import { useFleetCalls } from '../machine/fleet.ts';
import type { HubView, LocationView, PlacesView } from '../machine/fleet-view.ts';

const noPlaces: PlacesView = { organizations: [], locations: [] };

/** Some parts as they are now: all of them in the first message of a stream, in the others those that changed. */
interface FleetNews extends WatchPresenceResponse {
  readonly isFirst: boolean;
}

/** The fleet that this page's hub looks after, live: its parts, its places, and which part this page is about. */
export const useFleet = defineStore('fleet', () => {
  const calls = useFleetCalls();
  const parts = shallowRef<ReadonlyMap<string, Presence>>(new Map());
  const places = shallowRef<PlacesView>(noPlaces);
  const hub = shallowRef<HubView>();
  /** undefined until the program has said whether it has a hub. */
  const hasHub = ref<boolean>();
  const isLoaded = ref(false);
  const problem = ref('');
  /** What the page came with is not accepted any more: a key that was revoked ends its streams, not the channel. */
  const isSignedOut = ref(false);

  async function* follow(signal: AbortSignal): AsyncGenerator<FleetNews> {
    try {
      yield* read(signal);
    } catch (thrown) {
      if (callFailure(thrown).code === 'UNAUTHENTICATED') isSignedOut.value = true;
      throw thrown;
    }
  }

  async function* read(signal: AbortSignal): AsyncGenerator<FleetNews> {
    const found = await calls.describe();
    signal.throwIfAborted();
    isSignedOut.value = false;
    hub.value = found;
    hasHub.value = found !== undefined;
    if (found === undefined) {
      // Until the next connection, which may be to another program.
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return;
    }
    await readPlaces();
    let isFirst = true;
    for await (const message of calls.watch(signal)) {
      yield { ...message, isFirst };
      isFirst = false;
    }
  }

  async function readPlaces(): Promise<void> {
    places.value = await calls.places();
  }

  function take({ isFirst, parts: told, removed, fleetChanged }: FleetNews): void {
    const next = new Map(isFirst ? [] : parts.value);
    for (const part of told) next.set(part.partId, part);
    for (const id of removed) next.delete(id);
    parts.value = next;
    isLoaded.value = true;
    // What cannot be read now is read with the next change, or when the stream begins again.
    if (fleetChanged) readPlaces().catch((thrown: unknown) => (problem.value = messageOf(thrown)));
  }

  onScopeDispose(
    followStream({
      connection: calls.connection,
      open: follow,
      onItem: take,
      onProblem: (message) => (problem.value = message),
    }),
  );

  const herePartId = computed(() => (calls.partId === '' ? (hub.value?.ownPartId ?? '') : calls.partId));
  const paths = computed(() => locationPaths(places.value));

  return {
    parts,
    places,
    hub,
    hasHub,
    /** False until the first list is here. */
    isLoaded,
    /** Why the fleet is not live; '' while it is. */
    problem,
    isSignedOut,
    /** Id of the part that this page is about; '' where it is about none. */
    herePartId,
    /** What is known of it. */
    here: computed(() => parts.value.get(herePartId.value)),
    /** Whether this page is about a machine that its hub cannot reach now. */
    isAway: computed(() => {
      const here = parts.value.get(herePartId.value);
      // The page's own machine answers by itself, whatever its hub says.
      return here !== undefined && calls.partId !== '' && here.state !== Presence_State.ONLINE;
    }),
    isHubAlone: calls.isHubAlone,
    /** Whether the caller may change anything of the fleet; where exactly, the hub says. */
    mayManage: computed(() => {
      const caller = hub.value?.caller;
      return caller !== undefined && (caller.isLocal || caller.roles.some(({ role }) => role === 'owner'));
    }),
    /** `Lab 1 / Bench 4`; '' for one that is not known. */
    locationPath: (id: string): string => paths.value.get(id) ?? '',
    readPlaces,
  };
});

/** Name of each location with those it is in; with its organization where there are several. */
export function locationPaths({ organizations, locations }: PlacesView): ReadonlyMap<string, string> {
  const byId = new Map(locations.map((location) => [location.id, location]));
  const organization = new Map(organizations.map(({ id, name }) => [id, name]));
  const pathOf = ({ id, name, parentId, organizationId }: LocationView, seen: ReadonlySet<string>): string => {
    const parent = seen.has(parentId) ? undefined : byId.get(parentId);
    if (parent !== undefined) return `${pathOf(parent, new Set([...seen, id]))} / ${name}`;
    const first = organizations.length > 1 ? organization.get(organizationId) : undefined;
    return first === undefined ? name : `${first} / ${name}`;
  };
  return new Map(locations.map((location) => [location.id, pathOf(location, new Set([location.id]))]));
}

/** A location and all that are in it. */
export function locationsWithin(id: string, locations: readonly LocationView[]): ReadonlySet<string> {
  const within = new Set([id]);
  // Until no more come: a tree is not deep.
  for (let size = 0; size !== within.size;) {
    size = within.size;
    for (const location of locations) if (within.has(location.parentId)) within.add(location.id);
  }
  return within;
}
