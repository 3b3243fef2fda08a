import { randomUUID } from 'node:crypto';
import type { CallResponse, SignalingServiceDefinition } from '../../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Connection, ServerCall } from '../call.ts';
import { ChannelServer } from '../channel/channel-server.ts';
import { firstValue } from '../metadata.ts';
import type { Router } from '../router.ts';
import type { ServiceHandlers } from '../service.ts';
import { TrackedConnection } from '../tracked-connection.ts';
import { DATA_PACKET_BYTES } from './data-channel-pipe.ts';
import { OrderedOpening } from './ordered-opening.ts';
import { Peer, type PeerLibrary } from './peer.ts';
import { SIGNALED_KEY } from './signaled-key.ts';
import { readDescription, writeDescription, type SessionDescription } from './session-description.ts';

/** Time limit of an exchange: public clients wait no longer. */
const EXCHANGE_MS = 10_000;
/** Most peers that are connecting, and most peers in total. */
const MAX_OPENING = 64;
const MAX_PEERS = 256;

export interface SignalingOptions {
  readonly router: Pick<Router, 'start'>;
  /** Names of this machine that callers may use. */
  readonly isOwnName: (name: string, call: ServerCall) => boolean;
  /** Gives calls over a connection the rights of a call's caller. Rejects if it has none. */
  readonly admit: (connection: Connection, call: ServerCall) => Promise<void>;
  /** Loads the WebRTC library. */
  readonly library: () => Promise<PeerLibrary>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Exchange {
  readonly peer: Peer;
  readonly caller: string;
  /** The end of the exchange: until then updates are accepted, also from a peer whose channel is open. */
  readonly deadline: Timer;
}

/** Answers callers that connect over WebRTC to this process, and serves their calls. */
export class Signaling {
  readonly #options: SignalingOptions;
  readonly #exchanges = new Map<string, Exchange>();
  readonly #peers = new Set<Peer>();
  #opening = 0;

  constructor(options: SignalingOptions) {
    this.#options = options;
  }

  /** Peers that are connected or connecting. */
  get count(): number {
    return this.#peers.size;
  }

  /** `proto.rpc.webrtc.v1.SignalingService` of a machine that answers for itself. */
  service(): ServiceHandlers<typeof SignalingServiceDefinition> {
    return {
      call: (request, call) => this.#answer(request, call),

      callUpdate: ({ uuid, update }, call) => {
        this.#requireOwnName(call);
        const exchange = this.#exchanges.get(uuid);
        // The id cannot be guessed, but checking that it is the same caller costs nothing.
        if (exchange === undefined || exchange.caller !== callerOf(call)) {
          throw new ArmatureError('call.bad_argument', `No call "${uuid.slice(0, 60)}" is under way: call again.`);
        }
        if (update?.$case === 'candidate') exchange.peer.addCandidate(update.value);
        else if (update?.$case === 'error') exchange.peer.close(`the caller gave up: ${update.value.message}`);
        return {};
      },

      optionalWebRTCConfig: (_request, call) => {
        this.#requireOwnName(call);
        return { config: { additionalIceServers: [], disableTrickle: false } };
      },

      // Of a dial that its caller counts.
      reportConnectionMetadata: () => ({}),
    };
  }

  close(reason: string): void {
    for (const peer of [...this.#peers]) peer.close(reason);
  }

  async *#answer(
    { sdp, disableTrickle }: { readonly sdp: string; readonly disableTrickle: boolean },
    call: ServerCall,
  ): AsyncGenerator<CallResponse> {
    this.#requireOwnName(call);
    this.#requireRoom();
    const offer = readDescription(sdp, 'offer');
    const connection = connectionFor(call);
    await this.#options.admit(connection, call);
    const uuid = randomUUID();
    const { peer, answer } = await this.#open(uuid, offer, connection, call);
    const end = (): void => peer.candidates.end();
    call.signal.addEventListener('abort', end);
    try {
      const described = await answer;
      const whole = disableTrickle ? await peer.withCandidates(described) : described;
      yield { uuid, stage: { $case: 'init', value: { sdp: writeDescription(whole) } } };
      for await (const candidate of peer.candidates) {
        yield { uuid, stage: { $case: 'update', value: { candidate } } };
      }
    } catch (thrown) {
      peer.close(toArmatureError(thrown).message);
      throw thrown;
    } finally {
      call.signal.removeEventListener('abort', end);
    }
  }

  async #open(
    uuid: string,
    offer: SessionDescription,
    connection: TrackedConnection,
    call: ServerCall,
  ): Promise<{ readonly peer: Peer; readonly answer: Promise<SessionDescription> }> {
    const { router, clock, logger } = this.#options;
    const library = await this.#library();
    // Others arrived while it was loading.
    this.#requireRoom();
    const peer = new Peer(library, {
      name: uuid,
      iceServers: [],
      clock,
      onClose: (reason) => {
        this.#forget(uuid);
        this.#peers.delete(peer);
        connection.close();
        logger.debug(`WebRTC peer ${uuid} is gone: ${reason}`);
      },
    });
    this.#peers.add(peer);
    let answer: Promise<SessionDescription>;
    try {
      answer = peer.answer(offer);
    } catch (cause) {
      throw new ArmatureError('call.bad_argument', `The offer cannot be answered: ${String(cause)}`, { cause });
    }
    this.#opening++;
    let isOpening = true;
    const settled = (): void => {
      if (isOpening) this.#opening--;
      isOpening = false;
    };
    const deadline = clock.after(EXCHANGE_MS, () => {
      this.#forget(uuid);
      if (isOpening) peer.close('its data channel did not open in time');
    });
    this.#exchanges.set(uuid, { peer, caller: callerOf(call), deadline });
    peer.opened.then((pipe) => {
      settled();
      const ordered = new OrderedOpening(pipe, clock);
      const channel = new ChannelServer(ordered, connection, { router, clock, logger, packetBytes: DATA_PACKET_BYTES });
      // The pipe reports its end to the channel alone.
      channel.connection.onClose(() => peer.close('its data channel is closed'));
    }, settled);
    return { peer, answer };
  }

  async #library(): Promise<PeerLibrary> {
    try {
      return await this.#options.library();
    } catch (cause) {
      throw new ArmatureError(
        'call.unimplemented',
        `This computer has no WebRTC library (${toArmatureError(cause).message}): connect directly.`,
        { cause },
      );
    }
  }

  #forget(uuid: string): void {
    this.#exchanges.get(uuid)?.deadline.cancel();
    this.#exchanges.delete(uuid);
  }

  #requireRoom(): void {
    if (this.#opening < MAX_OPENING && this.#peers.size < MAX_PEERS) return;
    throw new ArmatureError(
      'call.overloaded',
      `${this.#peers.size} peers are here, ${this.#opening} of them on their way; ${MAX_PEERS} and ${MAX_OPENING} may be: try again later.`,
    );
  }

  #requireOwnName(call: ServerCall): void {
    // A hub has found the machine by a name that may have changed since.
    if (call.principal.kind === 'hub') return;
    const name = firstValue(call.metadata, 'rpc-host') ?? '';
    if (this.#options.isOwnName(name, call)) return;
    // Public clients know this text: there is no signaling for that host here, so they connect directly.
    throw new ArmatureError(
      'call.bad_argument',
      `host not preconfigured: "${name.slice(0, 100)}" is no name of this machine; send one in the header "rpc-host".`,
    );
  }
}

/** The caller that signals: the holder of a key, if the machine's hub signals for it; else the caller itself. */
function callerOf({ principal, metadata }: ServerCall): string {
  return principal.kind === 'hub' ? (firstValue(metadata, SIGNALED_KEY) ?? '') : principal.entity;
}

/** The remote address is that of signaling, so a caller over a hub does not count as a program of this computer. */
function connectionFor(call: ServerCall): TrackedConnection {
  const { remoteAddress, localAddress } = call.connection;
  const from = call.principal.kind === 'hub' ? `key ${callerOf(call)}, by the hub` : remoteAddress;
  return new TrackedConnection({ remoteAddress: from, localAddress }, 'webrtc', true, true);
}
