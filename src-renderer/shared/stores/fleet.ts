import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref, shallowRef } from 'vue';
import { type Presence, Presence_State, type WatchPresenceResponse } from '../../../proto/gen/core/hub/v1/presence.ts';
import { callFailure } from '../machine/rpc/call-failure.ts';
import { followStream, messageOf } from '../machine/rpc/follow-stream.ts';
import { useFleetCalls } from '../machine/fleet.ts';
import type { HubView, LocationView, PlacesView } from '../machine/fleet-view.ts';

const noPlaces: PlacesView = { organizations: [], locations: [] };

/** The state of some parts: of all in the first message of a stream, of those that changed in the others. */
interface FleetUpdate extends WatchPresenceResponse {
  readonly isFirst: boolean;
}

/** The fleet of this page's hub, live: its parts, its places, and which part this page is about. */
export const useFleet = defineStore('fleet', () => {
  const calls = useFleetCalls();
  const parts = shallowRef<ReadonlyMap<string, Presence>>(new Map());
  const places = shallowRef<PlacesView>(noPlaces);
  const hub = shallowRef<HubView>();
  /** Undefined until it is known whether the program has a hub. */
  const hasHub = ref<boolean>();
  const isLoaded = ref(false);
  const problem = ref('');
  /** The page's token is not accepted any more: revoking a key ends the page's streams, but not the channel. */
  const isSignedOut = ref(false);

  async function* follow(signal: AbortSignal): AsyncGenerator<FleetUpdate> {
    try {
      yield* read(signal);
    } catch (thrown) {
      if (callFailure(thrown).code === 'UNAUTHENTICATED') isSignedOut.value = true;
      throw thrown;
    }
  }

  async function* read(signal: AbortSignal): AsyncGenerator<FleetUpdate> {
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

  function take({ isFirst, parts: changed, removed, fleetChanged }: FleetUpdate): void {
    const next = new Map(isFirst ? [] : parts.value);
    for (const part of changed) next.set(part.partId, part);
    for (const id of removed) next.delete(id);
    parts.value = next;
    isLoaded.value = true;
    // If that fails, the places are read at the next change or when the stream is reopened.
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
    /** False until the first list has arrived. */
    isLoaded,
    /** Why the fleet is not live; '' while it is. */
    problem,
    isSignedOut,
    /** Id of the part that this page is about; '' if none. */
    herePartId,
    /** That part, if it is known. */
    here: computed(() => parts.value.get(herePartId.value)),
    /** Whether this page is about a machine that its hub cannot reach now. */
    isAway: computed(() => {
      const here = parts.value.get(herePartId.value);
      // The machine that serves the page is online, whatever its hub says.
      return here !== undefined && calls.partId !== '' && here.state !== Presence_State.ONLINE;
    }),
    isHubAlone: calls.isHubAlone,
    /** Whether the caller may change something in the fleet; the hub checks each change. */
    mayManage: computed(() => {
      const caller = hub.value?.caller;
      return caller !== undefined && (caller.isLocal || caller.roles.some(({ role }) => role === 'owner'));
    }),
    /** `Lab 1 / Bench 4`; '' for an unknown location. */
    locationPath: (id: string): string => paths.value.get(id) ?? '',
    readPlaces,
  };
});

/** The path of each location by id; starts with the organization if there are several. */
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

/** Ids of a location and of all locations in it. */
export function locationsWithin(id: string, locations: readonly LocationView[]): ReadonlySet<string> {
  const within = new Set([id]);
  // Repeated until nothing is added; the tree is not deep.
  for (let size = 0; size !== within.size;) {
    size = within.size;
    for (const location of locations) if (within.has(location.parentId)) within.add(location.id);
  }
  return within;
}
