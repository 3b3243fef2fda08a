import { once } from 'node:events';
import {
  Client,
  compressionAlgorithms,
  credentials,
  Metadata,
  status,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import { echo, echoPath, echoType, type Echo } from '../testing/echo-service.ts';
import { framedEcho, openSession, rawCall } from '../testing/raw-http2.ts';
import { cancelled, CRASH, FAIL, startTestMachine, WAIT, type TestMachine } from '../testing/test-machine.ts';

const serialize = (message: Echo): Buffer => Buffer.from(echoType.encode(message).finish());
const deserialize = (bytes: Buffer): Echo => echoType.decode(bytes);

/** The test service as a client of the public gRPC library for Node sees it. */
class EchoClient {
  readonly client: Client;

  constructor(port: number, channel: object = {}) {
    this.client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc.use_local_subchannel_pool': 1,
      ...channel,
    });
  }

  say(message: Echo, metadata = new Metadata(), options: object = {}, method = 'Say'): UnaryOutcome {
    let call: ReturnType<Client['makeUnaryRequest']> | undefined;
    let headers: Metadata | undefined;
    let trailers: Metadata | undefined;
    const answer = new Promise<Echo>((resolve, reject) => {
      call = this.client.makeUnaryRequest(
        echoPath(method),
        serialize,
        deserialize,
        message,
        metadata,
        options,
        (error: ServiceError | null, value?: Echo) => {
          if (error !== null) reject(error);
          else resolve(value as Echo);
        },
      );
      call.on('metadata', (received: Metadata) => (headers = received));
      call.on('status', (status: { metadata: Metadata }) => (trailers = status.metadata));
    });
    return { answer, cancel: () => call?.cancel(), headers: () => headers, trailers: () => trailers };
  }

  repeat(message: Echo, options: object = {}): ClientReadableStream<Echo> {
    return this.client.makeServerStreamRequest(echoPath('Repeat'), serialize, deserialize, message, options);
  }

  collect(messages: readonly Echo[]): Promise<Echo> {
    return new Promise((resolve, reject) => {
      const call = this.client.makeClientStreamRequest(
        echoPath('Collect'),
        serialize,
        deserialize,
        (error: ServiceError | null, value?: Echo) => {
          if (error !== null) reject(error);
          else resolve(value as Echo);
        },
      );
      for (const message of messages) call.write(message);
      call.end();
    });
  }

  chat(): ClientDuplexStream<Echo, Echo> {
    return this.client.makeBidiStreamRequest(echoPath('Chat'), serialize, deserialize);
  }

  close(): void {
    this.client.close();
  }
}

interface UnaryOutcome {
  readonly answer: Promise<Echo>;
  cancel(): void;
  /** Known once the answer is. */
  headers(): Metadata | undefined;
  trailers(): Metadata | undefined;
}

/** How a call failed; fails itself when it did not. */
async function failureOf(answer: Promise<unknown>): Promise<ServiceError> {
  try {
    await answer;
  } catch (thrown) {
    return thrown as ServiceError;
  }
  throw new Error('The call succeeded.');
}

let machine: TestMachine;
let client: EchoClient;

beforeEach(async () => {
  machine = await startTestMachine();
  client = new EchoClient(machine.port);
});

afterEach(async () => {
  client.close();
  await machine.listener.close(0);
});

async function readAll(stream: AsyncIterable<unknown>): Promise<Echo[]> {
  const messages: Echo[] = [];
  for await (const message of stream) messages.push(message as Echo);
  return messages;
}

describe('a public gRPC client', () => {
  it('makes a unary call', async () => {
    expect(await client.say(echo('left', 7)).answer).toEqual(echo('left', 7));
  });

  it('reads a stream of answers', async () => {
    const messages = await readAll(client.repeat(echo('left', 3)));
    expect(messages.map((message) => message.name)).toEqual(['left0', 'left1', 'left2']);
  });

  it('reads a stream of no answers', async () => {
    expect(await readAll(client.repeat(echo('left', 0)))).toEqual([]);
  });

  it('sends a stream of requests', async () => {
    const requests = Array.from({ length: 100 }, (_, index) =>
      echo(index === 0 ? 'left' : '', 1, new Uint8Array(1000)),
    );
    expect(await client.collect(requests)).toEqual(echo('100000', 100));
  });

  it('talks both ways', async () => {
    const chat = client.chat();
    chat.write(echo('left', 1));
    const [first] = (await once(chat, 'data')) as [Echo];
    chat.write(echo('', 2));
    const [second] = (await once(chat, 'data')) as [Echo];
    chat.end();
    await once(chat, 'end');
    expect([first.count, second.count]).toEqual([1, 2]);
  });

  it('gets the code, the text and the details of an error', async () => {
    const call = client.say(echo('left', FAIL));
    const failure = await failureOf(call.answer);
    expect(failure.code).toBe(status.UNAVAILABLE);
    expect(failure.details).toBe('Résource "left" is not ready: 100 % of its wires are cut.');
    const [details] = failure.metadata.get('grpc-status-details-bin');
    expect(Buffer.from(details as Buffer).toString('latin1')).toMatch(
      /google\.rpc\.ErrorInfo.*resource\.not_ready.*state.*failed.*RetryInfo/s,
    );
  });

  it('is told of a mistake in the program as Internal', async () => {
    expect(await failureOf(client.say(echo('left', CRASH)).answer)).toMatchObject({
      code: status.INTERNAL,
      details: 'x is not a function',
    });
  });

  it('gets an error after some answers of a stream', async () => {
    const stream = client.repeat(echo('left', FAIL));
    const seen: Echo[] = [];
    stream.on('data', (message: Echo) => seen.push(message));
    const [failure] = (await once(stream, 'error')) as [ServiceError];
    expect([seen.length, failure.code, failure.details]).toEqual([FAIL, status.INTERNAL, 'The wire broke.']);
  });

  it('gets an error while it is still sending', async () => {
    const chat = client.chat();
    chat.write(echo('left', FAIL));
    const [failure] = (await once(chat.resume(), 'error')) as [ServiceError];
    expect(failure).toMatchObject({ code: status.FAILED_PRECONDITION, details: 'Not now.' });
  });

  it('sends and receives metadata, binary included', async () => {
    const metadata = new Metadata();
    metadata.set('x-mark', 'here');
    metadata.set('x-mark-bin', Buffer.from([0, 255, 128]));
    const call = client.say(echo('left'), metadata);
    await call.answer;
    expect(call.headers()?.get('x-mark')).toEqual(['here']);
    expect(call.trailers()?.get('x-mark-bin')).toEqual([Buffer.from([0, 255, 128])]);
  });

  it('is answered DEADLINE_EXCEEDED, and the handler is told', async () => {
    const entered = machine.resource.nextCall();
    const { answer } = client.say(echo('left', WAIT), new Metadata(), { deadline: Date.now() + 100 });
    const failure = failureOf(answer);
    const call = await entered;
    await cancelled(call);
    expect((await failure).code).toBe(status.DEADLINE_EXCEEDED);
  });

  it('cancels: the signal of the handler aborts', async () => {
    const entered = machine.resource.nextCall();
    const { answer, cancel } = client.say(echo('left', WAIT));
    const failure = failureOf(answer);
    const call = await entered;
    expect(call.isCancelled).toBe(false);
    cancel();
    expect(await cancelled(call)).toMatchObject({ code: 'call.cancelled' });
    expect((await failure).code).toBe(status.CANCELLED);
  });

  it('cancels a stream, and its handler ends', async () => {
    const entered = machine.resource.nextCall();
    const stream = client.repeat(echo('left', WAIT));
    stream.on('error', () => undefined);
    const call = await entered;
    stream.cancel();
    await cancelled(call);
    await expect.poll(() => machine.router.inFlight).toBe(0);
  });

  it('vanishes: the handler of its call is told', async () => {
    const session = await openSession(machine.port);
    const entered = machine.resource.nextCall();
    const lost = rawCall(session, echoPath('Say'), framedEcho(echo('left', WAIT))).catch((error: unknown) => error);
    const call = await entered;
    const closed = new Promise<void>((resolve) => call.connection.onClose(resolve));
    session.destroy();
    await cancelled(call);
    await closed;
    await lost;
  });

  it('is told of an unknown method by name', async () => {
    expect(await failureOf(client.say(echo('left'), new Metadata(), {}, 'Shout').answer)).toMatchObject({
      code: status.UNIMPLEMENTED,
      details: expect.stringMatching(/EchoService\/Shout.*Say, Repeat/) as string,
    });
  });

  it('is told of a resource that is missing or not named', async () => {
    expect((await failureOf(client.say(echo('nobody')).answer)).code).toBe(status.NOT_FOUND);
    expect(await failureOf(client.say(echo('', 3)).answer)).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('/core.test.v1.EchoService/Say') as string,
    });
  });

  it('may send compressed requests', async () => {
    const zipping = new EchoClient(machine.port, {
      'grpc.default_compression_algorithm': compressionAlgorithms.gzip,
    });
    const message = echo('left', 3, new Uint8Array(10_000).fill(7));
    expect(await zipping.say(message).answer).toEqual(message);
    zipping.close();
  });

  it('makes 1,000 calls at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, count) => client.say(echo('left', 1000 + count)).answer),
    );
    expect(answers.map((answer) => answer.count)).toEqual(Array.from({ length: 1_000 }, (_, count) => 1000 + count));
    await expect.poll(() => machine.router.inFlight).toBe(0);
  });

  it('sends and receives a message of nearly 32 MiB', async () => {
    const payload = new Uint8Array(MAX_MESSAGE_BYTES - 100).fill(9);
    const answer = await client.say(echo('left', 1, payload)).answer;
    expect(Buffer.compare(answer.payload, payload)).toBe(0);
  });

  it('is refused a larger one, and the connection goes on', async () => {
    const failure = await failureOf(client.say(echo('left', 1, new Uint8Array(MAX_MESSAGE_BYTES))).answer);
    expect(failure.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(await client.say(echo('left', 2)).answer).toEqual(echo('left', 2));
  });

  it('ends its calls in peace when the server stops', async () => {
    const entered = machine.resource.nextCall();
    const chat = client.chat();
    chat.write(echo('left', 1));
    await entered;
    await once(chat, 'data');
    const closing = machine.listener.close(5_000);
    chat.write(echo('', 2));
    const [second] = (await once(chat, 'data')) as [Echo];
    expect(second.count).toBe(2);
    const ended = once(chat, 'end');
    chat.end();
    await ended;
    await closing;
    expect(machine.listener.connections).toBe(0);
  });
});
