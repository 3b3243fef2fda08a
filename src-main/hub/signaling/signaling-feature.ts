import { SignalingServiceDefinition } from '../../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ServerCall } from '../../rpc/call.ts';
import { firstValue, type MetadataRecord } from '../../rpc/metadata.ts';
import { SIGNALED_KEY } from '../../rpc/webrtc/signaled-key.ts';
import type { Action } from '../../../proto/config/permissions.ts';
import type { Caller } from '../access/caller.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { partAt, readAddress } from '../places/address.ts';
import type { WaitingPlaces } from './waiting-places.ts';
import { unreachable } from '../presence/away.ts';
import type { LiveParts } from '../presence/live-parts.ts';
import type { PartStream } from '../presence/part-stream.ts';
import type { Store } from '../storage/store.ts';
import { WaitingMachines } from './waiting-machines.ts';

export interface SignalingOptions {
  readonly store: Store;
  readonly live: LiveParts;
  readonly places: WaitingPlaces;
  readonly clock: Clock;
}

/** Maximum number of names under which one machine waits. */
const MAX_HOSTS = 5;

/**
 * Connects callers with machines of the fleet over WebRTC. The data does not pass through this hub: the machine is told
 * the id of the caller's API key, and grants what that key may do.
 */
export function signalingFeature({ store, live, places, clock }: SignalingOptions): Feature {
  const waiting = new WaitingMachines(clock);

  const handlers: HubHandlers<typeof SignalingServiceDefinition> = {
    async *call(request, caller, call) {
      const partId = await askedPart(caller, call, 'machine.operate');
      const stream = live.connected.get(partId);
      if (stream === undefined && waiting.has(partId)) {
        yield* waiting.call(partId, request, { caller: nameOf(caller), signal: call.signal });
        return;
      }
      const { signal } = call;
      const machine = await connected(stream, partId);
      // The key may have just been created.
      await live.sendKeys();
      yield* machine.follow(SignalingServiceDefinition, 'call', request, { metadata: forKeyOf(caller), signal });
    },

    async callUpdate(request, caller, call) {
      const partId = await askedPart(caller, call, 'machine.operate');
      if (waiting.update(request, nameOf(caller))) return {};
      const machine = await connected(live.connected.get(partId), partId);
      return machine.call(SignalingServiceDefinition, 'callUpdate', request, { metadata: forKeyOf(caller) });
    },

    async *answer(responses, caller, call) {
      const hosts = [call.metadata['rpc-host'] ?? []].flat();
      if (hosts.length === 0 || hosts.length > MAX_HOSTS) {
        throw new ArmatureError(
          'call.bad_argument',
          `A machine sends 1 to ${MAX_HOSTS} names, each in a header "rpc-host"; it sent ${hosts.length}.`,
        );
      }
      const partIds = new Set<string>();
      for (const host of hosts) partIds.add(await partOf(caller, host, 'part.serve'));
      const [partId = '', ...others] = partIds;
      if (others.length > 0) {
        throw new ArmatureError('call.bad_argument', `"${hosts.join('", "')}" are names of several machines.`);
      }
      const takesHeartbeats = firstValue(call.metadata, 'heartbeats-allowed') === 'true';
      await places.add(partId);
      try {
        yield* waiting.answer(partId, responses, { signal: call.signal, takesHeartbeats });
      } finally {
        if (!waiting.has(partId)) await places.remove(partId);
      }
    },

    async optionalWebRTCConfig(_request, caller, call) {
      await askedPart(caller, call, 'machine.operate');
      return { config: { additionalIceServers: [], disableTrickle: false } };
    },

    // Statistics of callers are accepted and ignored.
    async reportConnectionMetadata(_request, caller, call) {
      await askedPart(caller, call, 'machine.operate');
      return {};
    },
  };
  return { services: [serve(SignalingServiceDefinition, handlers)], close: () => waiting.close() };

  function askedPart(caller: Caller, call: ServerCall, action: Action): Promise<string> {
    return partOf(caller, firstValue(call.metadata, 'rpc-host') ?? '', action);
  }

  /** The part with this name; requires that the caller may do this action with it. */
  async function partOf(caller: Caller, host: string, action: Action): Promise<string> {
    const address = readAddress(host);
    const partId = address && (await partAt(store.db, address));
    if (partId === undefined) throw unknownHost(host);
    try {
      await caller.require(action, { type: 'part', id: partId }, store.db);
    } catch (thrown) {
      // A caller who may not see a machine gets the same error as if it did not exist.
      throw thrown instanceof ArmatureError && thrown.code === 'call.not_found' ? unknownHost(host) : thrown;
    }
    return partId;
  }

  async function connected(stream: PartStream | undefined, partId: string): Promise<PartStream> {
    if (stream !== undefined) return stream;
    throw await unreachable(store, live.presence, partId);
  }
}

/** Public clients recognize the first words: they then connect directly, without signaling. */
function unknownHost(host: string): ArmatureError {
  return new ArmatureError(
    'call.bad_argument',
    `host not preconfigured: "${host.slice(0, 100)}" is no machine of this hub, or may not be seen with this key; send the address of one, such as bench.LOCATION.armature.local, in the header "rpc-host".`,
  );
}

function nameOf({ author: { type, id } }: Caller): string {
  return `${type} ${id}`;
}

/** Tells the machine whose key the call is for. The machine has the keys of its fleet and their roles. */
function forKeyOf({ author }: Caller): MetadataRecord {
  if (author.type === 'api-key') return { [SIGNALED_KEY]: author.id };
  throw new ArmatureError(
    'call.failed_precondition',
    `Over WebRTC a machine of the fleet is called with an API key of the hub, and this caller (${author.type} ${author.id}) has none: "armature hub key create" makes one.`,
  );
}
