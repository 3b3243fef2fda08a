import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import type { ServerCall } from '../call.ts';
import type { ChannelClient } from '../channel/channel-client.ts';
import { fakeCall } from '../access/fake-call.ts';
import { echo, echoPath, echoType, encodeEcho, type Echo } from '../testing/echo-service.ts';
import { callOnce, startCall, type RecordedCall } from '../testing/local-caller.ts';
import { cancelled, startTestMachine, WAIT, type TestMachine } from '../testing/test-machine.ts';
import { SILENT_MS } from './peer.ts';
import { Signaling } from './signaling-calls.ts';
import { CallingPeer, type SignalingCaller } from './testing/calling-peer.ts';
import { writeDescription } from './session-description.ts';

const HOST = 'bench.local';

/** A peer that comes over WebRTC, with a real library on both sides, over loopback. */
describe('a machine that is called over WebRTC', () => {
  let machine: TestMachine;
  let signaling: Signaling;
  let clock: ManualClock;
  let admitted: boolean;
  const peers: CallingPeer[] = [];

  beforeEach(async () => {
    clock = new ManualClock();
    admitted = true;
    machine = await startTestMachine();
    signaling = new Signaling({
      router: machine.router,
      isOwnName: (name) => name === HOST,
      admit: () => (admitted ? Promise.resolve() : Promise.reject(new Error('show a token'))),
      library: () => import('node-datachannel'),
      clock,
      logger: silentLogger,
    });
  });

  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.close();
    signaling.close('the test is over');
    await machine.listener.close(0);
  });

  const headers = (host = HOST): ServerCall => ({
    ...fakeCall({ metadata: { 'rpc-host': host } }),
    signal: new AbortController().signal,
  });
  const ask = async (client: ChannelClient, method: string, request: Echo): Promise<RecordedCall> => {
    const call = callOnce(client, echoPath(method), encodeEcho(request));
    await call.ended;
    return call;
  };
  const first = ({ messages: [bytes = new Uint8Array()] }: RecordedCall): Echo => echoType.decode(bytes);
  const caller = (host = HOST): SignalingCaller => {
    const { call, callUpdate } = signaling.service();
    if (call === undefined || callUpdate === undefined) throw new Error('never');
    return {
      call: (sdp) => call({ sdp, disableTrickle: false }, headers(host)) as AsyncIterable<never>,
      update: async (uuid, candidate, sdpMid) =>
        callUpdate(
          {
            uuid,
            update: {
              $case: 'candidate',
              value: { candidate, sdpMid, sdpmLineIndex: undefined, usernameFragment: undefined },
            },
          },
          headers(host),
        ),
    };
  };
  const connect = (): CallingPeer => {
    const peer = new CallingPeer(caller());
    peers.push(peer);
    return peer;
  };

  it('answers calls and streams over its data channel, large ones too', async () => {
    const client = await connect().client;
    expect(first(await ask(client, 'Say', echo('left', 7)))).toMatchObject({ name: 'left', count: 7 });
    const payload = Buffer.alloc(3_000_000, 7);
    expect(Buffer.compare(first(await ask(client, 'Say', echo('left', 1, payload))).payload, payload)).toBe(0);
    const stream = await ask(client, 'Repeat', echo('left', 5));
    expect(stream.messages.map((bytes) => echoType.decode(bytes).count)).toEqual([0, 1, 2, 3, 4]);
    const unknown = await ask(client, 'Nothing', echo('left', 5));
    expect(unknown.status?.code).toBe(StatusCode.UNIMPLEMENTED);
  });

  it('ends the calls of a peer that closes, and forgets it', async () => {
    const peer = connect();
    const client = await peer.client;
    const entered = machine.resource.nextCall();
    void startCall(client, echoPath('Say')).sink.message(encodeEcho(echo('left', WAIT)));
    const call = await entered;
    expect(call.connection.transport).toBe('webrtc');
    expect(signaling.count).toBe(1);
    peer.close();
    await cancelled(call);
    expect(call.connection.isClosed).toBe(true);
    expect(signaling.count).toBe(0);
  });

  it('asks its peers whether they are there, and lets go of one that does not answer', async () => {
    const peer = connect();
    const client = await peer.client;
    for (let time = 0; time < 5; time++) {
      const asked = new Promise<string>((resolve) =>
        peer.connection.onDataChannel((channel) => resolve(channel.getLabel())),
      );
      clock.advance(3_000);
      expect(await asked).toBe('alive');
      expect(first(await ask(client, 'Say', echo('left', time)))).toMatchObject({ count: time });
    }
    // Its answer is on its way: nothing is, when the clock runs on at once.
    clock.advance(3_000);
    clock.advance(SILENT_MS);
    expect(signaling.count).toBe(0);
    await peer.closed;
  });

  it('closes its peers when it ends', async () => {
    const peer = connect();
    await peer.client;
    signaling.close('the server is stopping');
    await peer.closed;
    expect(signaling.count).toBe(0);
  });

  it('forgets an offer after ten seconds to which nobody comes', async () => {
    const { PeerConnection } = await import('node-datachannel');
    const silent = new PeerConnection('silent', { iceServers: [], disableAutoNegotiation: true });
    silent.createDataChannel('data', { negotiated: true, id: 0 });
    const offer = new Promise<string>((resolve) => silent.onLocalDescription((sdp) => resolve(sdp)));
    silent.setLocalDescription('offer');
    const stages: unknown[] = [];
    for await (const { stage } of caller().call(writeDescription({ type: 'offer', sdp: await offer }))) {
      stages.push(stage?.$case);
    }
    expect(stages[0]).toBe('init');
    expect(signaling.count).toBe(1);
    clock.advance(10_000);
    expect(signaling.count).toBe(0);
    silent.close();
  });

  it('refuses a candidate that is none, and the exchange goes on', async () => {
    const signaled = caller();
    let wrong: Promise<unknown> | undefined;
    const peer = new CallingPeer({
      call: (sdp) => signaled.call(sdp),
      update: (uuid, candidate, mid) => {
        wrong ??= signaled.update(uuid, 'garbage', '0').catch((thrown: unknown) => thrown);
        return signaled.update(uuid, candidate, mid);
      },
    });
    peers.push(peer);
    const client = await peer.client;
    expect(await wrong).toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringContaining('"garbage"') as string,
    });
    expect(first(await ask(client, 'Say', echo('left', 7)))).toMatchObject({ count: 7 });
  });

  it('refuses other names in words that public clients know, offers that are none, and callers that it does not let in', async () => {
    const offered = async (sdp: string, host?: string): Promise<unknown> =>
      caller(host).call(sdp)[Symbol.asyncIterator]().next();
    const offer = writeDescription({ type: 'offer', sdp: 'v=0\r\nnothing\r\n' });
    await expect(offered(offer, 'other.local')).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringMatching(/host not preconfigured/) as string,
    });
    await expect(offered('?')).rejects.toMatchObject({ code: 'call.bad_argument' });
    await expect(offered(offer)).rejects.toMatchObject({ code: 'call.bad_argument' });
    await expect(caller().update('x', 'candidate:1', '0')).rejects.toMatchObject({ code: 'call.bad_argument' });
    admitted = false;
    await expect(offered(offer)).rejects.toThrow('show a token');
    expect(signaling.count).toBe(0);
  });

  it('takes 64 offers at once and no more', async () => {
    for (let offer = 0; offer < 65; offer++) peers.push(new CallingPeer(caller(), `caller ${offer}`));
    const outcomes = await Promise.allSettled(peers.map(({ client }) => client));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});
