import {
  SignalingServiceDefinition,
  type CallUpdateRequest,
  type ICEServer,
} from '../../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { onAbort } from '../../base/async/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { StatusCode } from '../../base/status.ts';
import { ChannelClient } from '../channel/channel-client.ts';
import { callPeer, streamFromPeer, type StartCall } from '../peer/outbound-call.ts';
import type { PeerCodes } from '../peer/received-error.ts';
import { localConnection } from '../routing/local-call.ts';
import { DATA_PACKET_BYTES } from './data-channel-pipe.ts';
import { Peer, type PeerLibrary } from './peer.ts';
import { readDescription, writeDescription } from './session-description.ts';

export interface DialOptions {
  /** Starts calls at the signaling server of the machine, with the caller's authentication. */
  readonly signaling: StartCall;
  /** The machine's name at the signaling server. */
  readonly host: string;
  readonly library: PeerLibrary;
  readonly clock: Clock;
  readonly codes: PeerCodes;
  /** Ends the dial, and later the connection. */
  readonly signal: AbortSignal;
}

/** A machine that is called over WebRTC. Calls end with UNAVAILABLE when the connection does. */
export interface DialledMachine {
  readonly start: StartCall;
  /** Settles when signaling is no longer needed. Never rejects. */
  readonly signaled: Promise<void>;
  close(): void;
}

/** The other machine gives up an offer after the same time. */
const DIAL_MS = 10_000;
/** Far more than a computer has networks; each candidate is another address to try. */
const MAX_CANDIDATES = 200;
const here = localConnection('machine');

/**
 * Opens a WebRTC connection to a machine, as public clients do it (`proto.rpc.webrtc.v1.SignalingService`): an offer, its
 * answer, and the addresses of both sides as they are found.
 * @throws {ArmatureError} what signaling answered, or `codes.unreachable` where no connection comes about within 10 s
 */
export async function dial(options: DialOptions): Promise<DialledMachine> {
  const { host, clock, codes, signal } = options;
  const { iceServers, disableTrickle } = await configOf(options);
  signal.throwIfAborted();
  const ended = new AbortController();
  const peer = newPeer(options, iceServers, () => ended.abort());
  const unsubscribe = onAbort(signal, () => peer.close('it is not wanted any more'));
  onAbort(ended.signal, unsubscribe);
  const late = clock.after(DIAL_MS, () => peer.close(`it did not come about within ${DIAL_MS / 1_000} s`));
  const exchange = exchangeWith(peer, disableTrickle, options, ended.signal);
  const signaled = exchange.catch(() => undefined);
  try {
    const failed = exchange.then(() => new Promise<never>(() => undefined));
    const pipe = await Promise.race([peer.opened, failed]);
    const client = new ChannelClient(pipe, {
      clock,
      packetBytes: DATA_PACKET_BYTES,
      onClosed: (reason) => peer.close(reason),
    });
    return {
      start: (path, metadata, timeoutMs, responder) =>
        client.start({ path, metadata, timeoutMs, connection: here }, responder),
      signaled,
      close: () => client.close('it is not wanted any more'),
    };
  } catch (thrown) {
    const { message } = toArmatureError(thrown);
    peer.close(message);
    if (thrown instanceof ArmatureError) throw thrown;
    throw new ArmatureError(codes.unreachable, `No WebRTC connection to ${host}: ${message}.`, { cause: thrown });
  } finally {
    late.cancel();
  }
}

function newPeer(
  { library, host, clock, codes }: DialOptions,
  iceServers: readonly string[],
  onClose: () => void,
): Peer {
  try {
    const none = iceServers.find((url) => !/^(?:stun|turn)s?:/.test(url));
    if (none !== undefined) throw new Error(`"${none.slice(0, 100)}" is no URL of one`);
    return new Peer(library, { name: host, iceServers, clock, onClose });
  } catch (cause) {
    const why = `what signals for it names servers that cannot be used (${toArmatureError(cause).message})`;
    throw new ArmatureError(codes.unreachable, `No WebRTC connection to ${host}: ${why}.`, { cause });
  }
}

/** Options that the signaling server requires of callers; empty where it has no such call. */
async function configOf({
  signaling,
  host,
  codes,
}: DialOptions): Promise<{ readonly iceServers: readonly string[]; readonly disableTrickle: boolean }> {
  const asked = { metadata: { 'rpc-host': host }, timeoutMs: DIAL_MS, codes };
  try {
    const { config } = await callPeer(signaling, SignalingServiceDefinition, 'optionalWebRTCConfig', {}, asked);
    const { additionalIceServers = [], disableTrickle = false } = config ?? {};
    return { iceServers: additionalIceServers.flatMap(withCredentials), disableTrickle };
  } catch (thrown) {
    if (thrown instanceof ArmatureError && thrown.code === 'call.unimplemented') {
      return { iceServers: [], disableTrickle: false };
    }
    throw thrown;
  }
}

/** The URLs of a server (RFC 7064, RFC 7065) with its credentials in them, in the form of the library. */
function withCredentials({ urls, username, credential }: ICEServer): string[] {
  if (username === '') return [...urls];
  const proof = `${encodeURIComponent(username)}:${encodeURIComponent(credential)}@`;
  return urls.map((url) => url.replace(/^(turns?:)/, `$1${proof}`));
}

/** Settles when the other side has sent all its candidates; rejects where it refuses the connection. */
async function exchangeWith(
  peer: Peer,
  disableTrickle: boolean,
  { signaling, host, codes }: DialOptions,
  signal: AbortSignal,
): Promise<void> {
  const metadata = { 'rpc-host': host };
  const update = async (uuid: string, value: CallUpdateRequest['update']): Promise<void> => {
    const asked = { metadata, timeoutMs: DIAL_MS, codes };
    // The connection shows whether it was established.
    await callPeer(signaling, SignalingServiceDefinition, 'callUpdate', { uuid, update: value }, asked).catch(
      () => undefined,
    );
  };
  const tell = async (uuid: string): Promise<void> => {
    for await (const candidate of peer.candidates) await update(uuid, { $case: 'candidate', value: candidate });
    await update(uuid, { $case: 'done', value: true });
  };
  const offered = await peer.offer();
  const offer = disableTrickle ? await peer.withCandidates(offered) : offered;
  const request = { sdp: writeDescription(offer), disableTrickle };
  let uuid = '';
  let sending: Promise<void> | undefined;
  let candidates = 0;
  try {
    const asked = { metadata, timeoutMs: DIAL_MS, codes, signal };
    for await (const answer of streamFromPeer(signaling, SignalingServiceDefinition, 'call', request, asked)) {
      const { stage } = answer;
      if (stage?.$case === 'init' && sending === undefined) {
        uuid = answer.uuid;
        peer.accept(readDescription(stage.value.sdp, 'answer'));
        sending = tell(uuid);
      } else if (stage?.$case === 'update' && answer.uuid === uuid && sending !== undefined) {
        const { candidate } = stage.value;
        if (candidate !== undefined && candidates++ < MAX_CANDIDATES) peer.addCandidate(candidate);
      } else {
        throw new ArmatureError(codes.unreachable, `What signals for ${host} did not keep to the protocol.`);
      }
    }
    if (sending === undefined) throw new ArmatureError(codes.unreachable, `What signals for ${host} gave no answer.`);
    await sending;
  } catch (thrown) {
    const { message } = toArmatureError(thrown);
    const value = { code: StatusCode.ABORTED, message, details: [] };
    if (uuid !== '' && !signal.aborted) void update(uuid, { $case: 'error', value });
    throw thrown;
  }
}
