import { SignalingServiceDefinition } from '../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { withTimeout } from '../../src-main/base/async/timeout.ts';
import { systemClock } from '../../src-main/base/clock.ts';
import { StatusCode } from '../../src-main/base/status.ts';
import type { ChannelClient } from '../../src-main/rpc/channel/channel-client.ts';
import { callPeer, type StartCall } from '../../src-main/rpc/peer/outbound-call.ts';
import { localConnection } from '../../src-main/rpc/routing/local-call.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../src-main/rpc/service.ts';
import { CallingPeer, type SignalingCaller } from '../../src-main/rpc/webrtc/testing/calling-peer.ts';
import type { GrpcClient } from './grpc-client.ts';

const here = localConnection('caller');
const codes = { unreachable: 'peer.unreachable', refused: 'access.unauthenticated' } as const;
const CALL_LIMIT_MS = 15_000;
/** Clients stop waiting by themselves: a channel whose packets were lost may never open, without an error. */
const DIAL_LIMIT_MS = 20_000;

/** A program that calls a machine over WebRTC, as public clients do. */
export class WebRtcCaller {
  readonly #peer: CallingPeer;
  readonly #client: ChannelClient;

  private constructor(peer: CallingPeer, client: ChannelClient) {
    this.#peer = peer;
    this.#client = client;
  }

  /**
   * Rejects with the ServiceError of grpc-js if the machine is not connected or refuses this caller.
   * @param signaling the server that connects caller and machine
   * @param headers `authorization`, and the machine's name in `rpc-host`
   * @param through changes the signaling, for example so that packets go through a relay
   */
  static async dial(
    signaling: GrpcClient,
    headers: Readonly<Record<string, string>>,
    through: (direct: SignalingCaller) => SignalingCaller = (direct) => direct,
  ): Promise<WebRtcCaller> {
    const direct: SignalingCaller = {
      call: (sdp) => signaling.stream(SignalingServiceDefinition, 'call', { sdp, disableTrickle: false }, { headers }),
      update: (uuid, candidate, sdpMid) => {
        const found = { candidate, sdpMid, sdpmLineIndex: undefined, usernameFragment: undefined };
        const update = { $case: 'candidate', value: found } as const;
        return signaling.call(SignalingServiceDefinition, 'callUpdate', { uuid, update }, { headers });
      },
    };
    const peer = new CallingPeer(through(direct));
    try {
      const onTimeout = (): never => {
        throw new Error('The data channel did not open.');
      };
      const client = await withTimeout(() => peer.client, { clock: systemClock, ms: DIAL_LIMIT_MS, onTimeout });
      return new WebRtcCaller(peer, client);
    } catch (thrown) {
      peer.close();
      throw thrown;
    }
  }

  /** Settles when the machine is gone or has closed the connection. */
  get closed(): Promise<string> {
    return this.#peer.closed;
  }

  /** Rejects with an ArmatureError. */
  call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
  ): Promise<ResponseOf<D['methods'][K]>> {
    return callPeer(this.#start, service, method, request, { timeoutMs: CALL_LIMIT_MS, codes });
  }

  /** Whether a unary call with any path and these bytes is answered with OK. */
  isAnswered(path: string, message: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => {
      const sink = this.#start(path, {}, undefined, {
        headers: () => undefined,
        message: () => undefined,
        end: ({ code }) => resolve(code === StatusCode.OK),
      });
      void sink.message(message);
      sink.halfClose();
    });
  }

  readonly #start: StartCall = (path, metadata, timeoutMs, responder) =>
    this.#client.start({ path, metadata, timeoutMs, connection: here }, responder);

  close(): void {
    this.#peer.close();
  }
}
