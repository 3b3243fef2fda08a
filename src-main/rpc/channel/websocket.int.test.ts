import { request as httpRequest } from 'node:http';
import { connect as tcpConnect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Request, Response } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { AccessControl } from '../access/access-control.ts';
import { WebChecks } from '../access/web-checks.ts';
import { echo, echoPath, echoType, encodeEcho, type Echo } from '../testing/echo-service.ts';
import { cancelled, startTestMachine, WAIT, type TestMachine } from '../testing/test-machine.ts';
import { CHANNEL_PATH, SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX, WebSocketChannels } from './websocket.ts';

const TOKEN = 'launch-token_1';
const WITH_TOKEN = [SUBPROTOCOL, `${TOKEN_SUBPROTOCOL_PREFIX}${TOKEN}`];

let machine: TestMachine;
let channels: WebSocketChannels;
let clock: ManualClock;
let access: AccessControl;

beforeEach(async () => {
  access = new AccessControl(
    {
      authEnabled: false,
      apiKeys: [],
      launchToken: TOKEN,
      fqdn: 'bench.local',
      hostnames: [],
      allowedOrigins: ['https://dash.example'],
      allowInsecureCreds: false,
    },
    systemClock,
    silentLogger,
    () => true,
  );
  machine = await startTestMachine({
    webAccess: new WebChecks(access),
    onUpgrade: (request, socket, head) => void channels.handleUpgrade(request, socket, head),
    onPage: (request, response) => void channels.answerProbe(request, response),
  });
  machine.router.addInterceptor(access.interceptor);
  clock = new ManualClock();
  channels = new WebSocketChannels({ router: machine.router, admission: access, clock, logger: silentLogger });
});

afterEach(async () => {
  channels.close('the test is over');
  await machine.listener.close(0);
});

interface Options {
  readonly protocols?: string[];
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

function dial({ protocols = WITH_TOKEN, headers = {}, path = CHANNEL_PATH }: Options = {}): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${machine.port}${path}`, protocols, { headers, perMessageDeflate: true });
}

/** Settles with undefined when the channel opens, or with the HTTP status of the refusal. */
function refusal(options: Options): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const websocket = dial(options);
    websocket.on('open', () => {
      websocket.close();
      resolve(undefined);
    });
    websocket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    websocket.on('error', reject);
  });
}

/** A bare client of the protocol. */
class BareClient {
  readonly websocket = dial();
  readonly frames: Response[] = [];
  #waiting: (() => void)[] = [];

  constructor() {
    this.websocket.on('message', (data: Buffer) => {
      this.frames.push(Response.decode(data));
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  opened(): Promise<void> {
    return new Promise((resolve) => this.websocket.once('open', resolve));
  }

  send(id: bigint, type: Request['type']): void {
    this.websocket.send(Request.encode({ stream: { id }, type }).finish());
  }

  start(id: bigint, method: string): void {
    const value = { method: echoPath(method), metadata: undefined, timeout: undefined };
    this.send(id, { $case: 'headers', value });
  }

  message(id: bigint, message: Echo): void {
    const bytes = encodeEcho(message);
    for (let at = 0; at < bytes.length; at += 65_000) {
      const packetMessage = { data: bytes.subarray(at, at + 65_000), eom: at + 65_000 >= bytes.length };
      this.send(id, { $case: 'message', value: { hasMessage: true, packetMessage, eos: false } });
    }
  }

  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  status(id: bigint): number | undefined {
    const frame = this.frames.find((each) => each.stream?.id === id && each.type?.$case === 'trailers');
    return frame?.type?.$case === 'trailers' ? (frame.type.value.status?.code ?? 0) : undefined;
  }

  /** The whole messages of a call. */
  messages(id: bigint): Echo[] {
    const whole: Echo[] = [];
    let parts: Uint8Array[] = [];
    for (const { stream, type } of this.frames) {
      if (stream?.id !== id || type?.$case !== 'message') continue;
      const packet = type.value.packetMessage;
      parts.push(packet?.data ?? new Uint8Array());
      if (packet?.eom !== true) continue;
      whole.push(echoType.decode(Buffer.concat(parts)));
      parts = [];
    }
    return whole;
  }
}

async function connected(): Promise<BareClient> {
  const client = new BareClient();
  await client.opened();
  return client;
}

describe('opening a channel', () => {
  it.each<[string, Options, number | undefined]>([
    ['with the launch token', {}, undefined],
    [
      'with the launch token as Bearer',
      { protocols: [SUBPROTOCOL], headers: { authorization: `Bearer ${TOKEN}` } },
      undefined,
    ],
    ['from an allowed origin', { headers: { origin: 'https://dash.example' } }, undefined],
    ['without a token', { protocols: [SUBPROTOCOL] }, 401],
    ['with a wrong token', { protocols: [SUBPROTOCOL, `${TOKEN_SUBPROTOCOL_PREFIX}x`] }, 401],
    ['with the token in the address', { protocols: [SUBPROTOCOL], path: `${CHANNEL_PATH}?token=${TOKEN}` }, 404],
    ['from another origin', { headers: { origin: 'https://evil.example' } }, 403],
    ['under a rebound host name', { headers: { host: 'evil.example' } }, 403],
    ['without our subprotocol', { protocols: [`${TOKEN_SUBPROTOCOL_PREFIX}${TOKEN}`] }, 400],
    ['at another path', { path: '/elsewhere' }, 404],
  ])('%s: %o gives %s', async (_title, options, status) => {
    await expect(refusal(options)).resolves.toBe(status);
  });

  it('agrees on our subprotocol, without compression, and never echoes the token', async () => {
    const { websocket } = await connected();
    expect(websocket.protocol).toBe(SUBPROTOCOL);
    expect(websocket.extensions).toBe('');
  });

  it.each<[string, Record<string, string>, number]>([
    ['with the token', { authorization: `Bearer ${TOKEN}` }, 426],
    ['without it', {}, 401],
    ['from another origin', { authorization: `Bearer ${TOKEN}`, origin: 'https://evil.example' }, 403],
  ])('a plain GET %s says why: %o gives %d', async (_title, headers, status) => {
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: machine.port, path: CHANNEL_PATH, headers };
      httpRequest(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(answer).toBe(status);
  });
});

describe('calls over a channel', () => {
  it('a unary call that is never ended is answered, on stream 0', async () => {
    const client = await connected();
    client.start(0n, 'Say');
    client.message(0n, echo('left', 7));
    await client.until(() => client.status(0n) !== undefined);
    expect(client.status(0n)).toBe(0);
    expect(client.messages(0n)).toMatchObject([{ name: 'left', count: 7 }]);
    expect(client.frames[0]?.type?.$case).toBe('headers');
  });

  it('an error keeps its code and comes after headers', async () => {
    const client = await connected();
    client.start(1n, 'Say');
    client.message(1n, echo('nobody'));
    client.start(2n, 'NoSuchMethod');
    await client.until(() => client.status(1n) !== undefined && client.status(2n) !== undefined);
    expect([client.status(1n), client.status(2n)]).toEqual([5, 12]);
    expect(client.frames.filter(({ type }) => type?.$case === 'headers')).toHaveLength(2);
  });

  it('a timeout becomes the deadline of the handler', async () => {
    const client = await connected();
    const value = { method: echoPath('Say'), metadata: undefined, timeout: { seconds: 0n, nanos: 50_000_000 } };
    client.send(1n, { $case: 'headers', value });
    client.message(1n, echo('left', WAIT));
    await client.until(() => client.status(1n) !== undefined);
    expect(client.status(1n)).toBe(4);
  });

  it('rst_stream cancels the handler, and so does a connection that goes away', async () => {
    const client = await connected();
    for (const end of ['reset', 'terminate']) {
      const entered = machine.resource.nextCall();
      client.start(1n, 'Say');
      client.message(1n, echo('left', WAIT));
      const call = await entered;
      const ended = cancelled(call);
      if (end === 'reset') client.send(1n, { $case: 'rstStream', value: true });
      else client.websocket.terminate();
      await ended;
      expect(call.signal.aborted).toBe(true);
    }
    await expect.poll(() => channels.count).toBe(0);
  });

  it('a small call is answered while a 10 MB one is on its way', async () => {
    const client = await connected();
    client.start(1n, 'Say');
    client.message(1n, echo('left', 1, new Uint8Array(10_000_000)));
    client.start(2n, 'Say');
    client.message(2n, echo('left', 2));
    await client.until(() => client.status(1n) !== undefined && client.status(2n) !== undefined);
    const end = (id: bigint): number =>
      client.frames.findIndex(({ stream, type }) => stream?.id === id && type?.$case === 'trailers');
    expect(end(2n)).toBeLessThan(end(1n));
    expect(client.messages(1n)[0]?.payload.length).toBe(10_000_000);
  });

  it('a client that does not read loses nothing and costs no more than what is in flight', async () => {
    const client = await connected();
    client.websocket.pause();
    client.start(1n, 'Repeat');
    client.message(1n, echo('left', 60, new Uint8Array(500_000)));
    client.start(2n, 'Say');
    client.message(2n, echo('left', 2));
    client.websocket.resume();
    await client.until(() => client.status(1n) !== undefined);
    expect(client.messages(1n)).toHaveLength(60);
    expect(client.messages(2n)).toHaveLength(1);
  });

  it('bytes that are no frame, and text, end that channel and no other', async () => {
    const other = await connected();
    for (const [garbage, code] of [
      [Buffer.from([0xff, 0xff, 0xff]), 1002],
      ['text', 1003],
    ] as const) {
      const client = await connected();
      const closed = new Promise<number>((resolve) => client.websocket.once('close', resolve));
      client.websocket.send(garbage);
      expect(await closed).toBe(code);
    }
    other.start(1n, 'Say');
    other.message(1n, echo('left', 1));
    await other.until(() => other.status(1n) !== undefined);
    expect(other.status(1n)).toBe(0);
  });

  it('a frame that is too large ends the channel', async () => {
    const client = await connected();
    const closed = new Promise<number>((resolve) => client.websocket.once('close', resolve));
    client.websocket.send(new Uint8Array(300_000));
    expect(await closed).toBe(1009);
  });

  it('a peer that answers no ping is cut off after two of them', async () => {
    const client = await connected();
    const silent = new WebSocket(`ws://127.0.0.1:${machine.port}${CHANNEL_PATH}`, WITH_TOKEN, { autoPong: false });
    await new Promise((resolve) => silent.once('open', resolve));
    await expect.poll(() => channels.count).toBe(2);
    const ponged = new Promise((resolve) => client.websocket.once('ping', resolve));
    const closed = new Promise((resolve) => silent.once('close', resolve));
    clock.advance(15_000);
    await ponged;
    // One call there and back: the pong before it has arrived.
    client.start(1n, 'Say');
    client.message(1n, echo('left'));
    await client.until(() => client.status(1n) !== undefined);
    clock.advance(15_000);
    await closed;
    expect(channels.count).toBe(1);
  });

  it('a raw upgrade with nonsense in it is refused, and the server goes on', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = tcpConnect(machine.port, '127.0.0.1', () => {
        const protocols = WITH_TOKEN.join(', ');
        socket.write(
          `GET ${CHANNEL_PATH} HTTP/1.1\r\nhost: 127.0.0.1:${machine.port}\r\nupgrade: websocket\r\nconnection: upgrade\r\n` +
            `sec-websocket-version: 13\r\nsec-websocket-key: nonsense\r\nsec-websocket-protocol: ${protocols}\r\n\r\n`,
        );
      });
      socket.on('data', (data) => resolve(data.toString()));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    await expect(refusal({})).resolves.toBeUndefined();
  });
});
