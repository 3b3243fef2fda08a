import { PeerConnection, type DataChannel } from 'node-datachannel';
import type { CallResponse } from '../../../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { systemClock } from '../../../base/clock.ts';
import { ChannelClient } from '../../channel/channel-client.ts';
import { DataChannelPipe } from '../data-channel-pipe.ts';
import { readDescription, writeDescription } from '../session-description.ts';

/** How a peer reaches a signaling service. */
export interface SignalingCaller {
  /** Starts the stream of answers. */
  call(sdp: string): AsyncIterable<CallResponse>;
  update(uuid: string, candidate: string, mid: string): Promise<unknown>;
}

/** A peer that calls, as public clients do it. */
export class CallingPeer {
  readonly connection: PeerConnection;
  readonly data: DataChannel;
  readonly negotiation: DataChannel;
  /** Settles when the data channel is open and the exchange is over: public clients wait for both. */
  readonly client: Promise<ChannelClient>;
  readonly closed: Promise<string>;

  constructor(signaling: SignalingCaller, name = 'caller') {
    this.connection = new PeerConnection(name, { iceServers: [], disableAutoNegotiation: true });
    this.data = this.connection.createDataChannel('data', { negotiated: true, id: 0 });
    this.negotiation = this.connection.createDataChannel('negotiation', { negotiated: true, id: 1 });
    const pipe = new DataChannelPipe(this.data);
    const opened = new Promise<void>((resolve) => this.data.onOpen(resolve));
    const closed = Promise.withResolvers<string>();
    this.closed = closed.promise;
    this.client = this.#exchange(signaling).then(async () => {
      await opened;
      return new ChannelClient(pipe, { clock: systemClock, packetBytes: 16_373, onClosed: closed.resolve });
    });
  }

  close(): void {
    this.connection.close();
  }

  async #exchange(signaling: SignalingCaller): Promise<void> {
    const own: (readonly [candidate: string, mid: string])[] = [];
    let uuid = '';
    const send = (candidate: string, mid: string): void => {
      if (uuid === '') own.push([candidate, mid]);
      else void signaling.update(uuid, candidate, mid).catch(() => undefined);
    };
    this.connection.onLocalCandidate(send);
    const offer = new Promise<string>((resolve) => this.connection.onLocalDescription((sdp) => resolve(sdp)));
    this.connection.setLocalDescription('offer');
    for await (const { uuid: id, stage } of signaling.call(writeDescription({ type: 'offer', sdp: await offer }))) {
      if (stage?.$case === 'init') {
        uuid = id;
        this.connection.setRemoteDescription(readDescription(stage.value.sdp, 'answer').sdp, 'answer');
        for (const [candidate, mid] of own.splice(0)) send(candidate, mid);
      } else if (stage?.value.candidate !== undefined) {
        const { candidate, sdpMid = '0' } = stage.value.candidate;
        this.connection.addRemoteCandidate(candidate, sdpMid);
      }
    }
  }
}
