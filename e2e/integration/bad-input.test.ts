import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DoCommandRequest } from '../../proto/gen/core/common/v1/common.ts';
import {
  ConfigServiceDefinition,
  Problem_Severity,
  Result_Outcome,
  type Problem,
  type WatchResponse,
} from '../../proto/gen/core/config/v1/config.ts';
import { GenericServiceDefinition } from '../../proto/gen/core/component/generic/v1/generic.ts';
import { GrpcClient, methodPath } from '../harness/grpc-client.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const bench = await readFile(benchConfig, 'utf8');
const MIB = 1024 * 1024;
const echoPath = methodPath(GenericServiceDefinition, 'doCommand');

function echoRequest(text: string): Uint8Array {
  return DoCommandRequest.encode({ name: 'echo', command: { text } }).finish();
}

let server: ServerProcess;
/** Another client, whose motor turns during all tests. */
let bystander: MachineClient;

beforeAll(async () => {
  server = await startServer({ config: bench });
  bystander = new MachineClient(server);
  await bystander.setPower('left', 0.5);
});

afterAll(async () => {
  bystander.close();
  expect(await server.stop()).toBe(0);
});

/** Checks that the rest of the machine works as before. */
async function isUnharmed(): Promise<void> {
  expect(await bystander.power('left')).toBe(0.5);
  await bystander.setPower('right', 0.25);
  expect(await bystander.power('right')).toBe(0.25);
  await bystander.stop('right');
}

async function openSocket(): Promise<Socket> {
  const socket = connectTcp(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Everything that is received until the other side closes. */
async function allOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

describe('a configuration', () => {
  const validate = async (text: string): Promise<Problem[]> => {
    const request = { partId: '', text };
    return (await bystander.grpc.call(ConfigServiceDefinition, 'validate', request)).problems;
  };
  const withEntries = (...entries: object[]): string => {
    const document = JSON.parse(bench) as { components: object[] };
    document.components.push(...entries);
    return JSON.stringify(document, null, 2);
  };
  const motor = (name: string, attributes: object): object => ({
    name,
    api: 'core:component:motor',
    model: 'gpio',
    attributes,
  });
  const pins = { pwm: '18', dir: '22' };

  it.each<[string, string, string, RegExp]>([
    ['malformed JSON', '{ "components": [ { "name": ] }', 'config.syntax', /\S/],
    ['a list for a document', '[1, 2]', 'config.wrong_type', /\{ \}|object/],
    ['components of a wrong type', '{ "components": 5 }', 'config.wrong_type', /components/],
    [
      'an attribute of a wrong type',
      withEntries(motor('bad', { board: 'bench', pins, max_rpm: 'fast' })),
      'attribute.wrong_type',
      /max_rpm[^]*whole number/,
    ],
    [
      'an unknown model',
      withEntries({ name: 'bad', api: 'core:component:motor', model: 'gipo', attributes: {} }),
      'config.unknown_model',
      /gipo[^]*gpio/,
    ],
    [
      'an unknown API',
      withEntries({ name: 'bad', api: 'core:component:moter', model: 'gpio' }),
      'config.unknown_api',
      /moter/,
    ],
    ['a duplicate', withEntries(motor('left', { board: 'bench', pins, max_rpm: 1 })), 'config.duplicate_name', /left/],
    [
      'a cycle',
      withEntries(
        { name: 'one', api: 'core:component:generic', model: 'fake', depends_on: ['two'] },
        { name: 'two', api: 'core:component:generic', model: 'fake', depends_on: ['one'] },
      ),
      'dependency.cycle',
      /one[^]*two/,
    ],
    [
      'a missing board',
      withEntries(motor('bad', { board: 'banch', pins, max_rpm: 1 })),
      'dependency.missing',
      /banch[^]*/,
    ],
    [
      'pins that make no driver',
      withEntries(motor('bad', { board: 'bench', pins: { a: '18' }, max_rpm: 1 })),
      'attribute.missing',
      /pin|"a"|"b"/,
    ],
    ['no name', withEntries({ api: 'core:component:generic', model: 'fake' }), 'config.missing_key', /name/],
  ])('with %s is refused in words that name the thing, and its place', async (_title, text, code, words) => {
    const problems = await validate(text);
    const problem = problems.find((each) => each.code === code);
    expect(problem, JSON.stringify(problems)).toBeDefined();
    // A warning may still appear by itself: the motor waits for its board.
    const isError = code !== 'dependency.missing';
    expect(problem?.severity).toBe(isError ? Problem_Severity.ERROR : Problem_Severity.WARNING);
    expect(problem?.message).toMatch(words);
    expect(problem?.line).toBeGreaterThan(0);
    expect(problem?.column).toBeGreaterThan(0);
    await isUnharmed();
  });

  it('with all of that at once starts, and what is right in it runs', async () => {
    const text = withEntries(
      motor('bad-type', { board: 'bench', pins, max_rpm: 'fast' }),
      motor('bad-board', { board: 'banch', pins, max_rpm: 1 }),
      motor('bad-pins', { board: 'bench', pins: { a: '18' }, max_rpm: 1 }),
      motor('left', { board: 'bench', pins, max_rpm: 1 }),
      { name: 'bad-model', api: 'core:component:motor', model: 'gipo', attributes: {} },
      { name: 'bad-api', api: 'core:component:moter', model: 'gpio' },
      { name: 'one', api: 'core:component:generic', model: 'fake', depends_on: ['two'] },
      { name: 'two', api: 'core:component:generic', model: 'fake', depends_on: ['one'] },
      { name: 'fails', api: 'core:component:board', model: 'fake', attributes: { fail_new: true } },
      7 as unknown as object,
    );
    const other = await startServer({ config: text });
    const client = new MachineClient(other);
    for (const name of ['left', 'right', 'turntable']) {
      await client.setPower(name, 0.3);
      expect(await client.power(name)).toBe(0.3);
    }
    await expect(client.setPower('bad-pins', 0.3)).rejects.toMatchObject({
      details: expect.stringContaining('bad-pins') as string,
    });
    client.close();
    expect(await other.stop()).toBe(0);
  });

  it('of 10 MB is taken, and one of 10 MB that is no JSON is refused in words', async () => {
    const stream = bystander.grpc.stream(ConfigServiceDefinition, 'watch', { partId: '' });
    let state: WatchResponse | undefined;
    stream.on('data', (next: WatchResponse) => (state = next));
    stream.on('error', () => undefined);
    await once(stream, 'data');
    const document = JSON.parse(bench) as { components: { notes?: string }[] };
    for (const component of document.components) component.notes = 'x'.repeat((10 * MIB) / document.components.length);
    await server.writeConfig(JSON.stringify(document));
    expect((await stat(server.configPath)).size).toBeGreaterThan(10 * MIB);
    const outcome = (wanted: Result_Outcome) => () => state?.result?.outcome === wanted && state.text.length > 9 * MIB;
    await until('the large text is in force', outcome(Result_Outcome.APPLIED), 15_000);
    await isUnharmed();
    await server.writeConfig('{"components": [' + '[,'.repeat(5 * MIB));
    await until('the large garbage is refused', outcome(Result_Outcome.REJECTED), 15_000);
    expect(state?.problems.length).toBeLessThan(1_000);
    expect(state?.problems[0]?.message).toMatch(/\S/);
    await isUnharmed();
    await server.writeConfig(bench);
    await until(
      'the bench is back',
      () => state?.text === bench && state.result?.outcome === Result_Outcome.APPLIED,
      15_000,
    );
    stream.cancel();
    await isUnharmed();
  });
});

describe('on the port', () => {
  it('garbage is answered in words or closed, each at once', async () => {
    const said: string[] = [];
    for (const bytes of [
      Buffer.from('\r\n\r\nhello\r\n\r\n'),
      Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'),
      Buffer.from('GET\r\n\r\n'),
      Buffer.from('GET / HTTP/9.9\r\n\r\n'),
      // A TLS hello, to a server without TLS.
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, ...Array<number>(600).fill(7)]),
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + '\xff'.repeat(200), 'latin1'),
      Buffer.alloc(4096, 0),
    ]) {
      const socket = await openSocket();
      const answer = allOf(socket);
      socket.write(bytes);
      said.push(await answer);
    }
    expect(said.some((text) => text.includes('This port speaks gRPC, gRPC-Web, HTTP and WebSocket'))).toBe(true);
    await isUnharmed();
  });

  it('connections that never say what they are, and HTTP/2 that stops half-way, are closed in time', async () => {
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
    const starts = ['', 'P', preface.slice(0, 10), preface, 'GET / HTTP/1.1\r\nhost: local'];
    const sockets = await Promise.all(
      starts.flatMap((start) =>
        Array.from({ length: 20 }, async () => {
          const socket = await openSocket();
          if (start !== '') socket.write(start);
          return socket;
        }),
      ),
    );
    const closings = sockets.map((socket) => {
      socket.resume();
      return once(socket, 'close');
    });
    await isUnharmed();
    await Promise.all(closings);
    await isUnharmed();
  }, 30_000);

  it('a half-open HTTP/2 call, whose message never comes whole, holds up nobody', async () => {
    const session = connectHttp2(server.url);
    onTestFinished(() => session.destroy());
    session.on('error', () => undefined);
    for (let index = 0; index < 50; index++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': echoPath,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream.on('error', () => undefined);
      stream.write(Buffer.from([0, 0, 0, 1, 0, 1, 2, 3]));
    }
    await once(session, 'remoteSettings');
    await isUnharmed();
    session.destroy();
    await isUnharmed();
  });

  it('a message of 33 MiB is refused with the limit in words, over gRPC and gRPC-Web', async () => {
    const client = new GrpcClient(server);
    onTestFinished(() => client.close());
    const message = echoRequest('x'.repeat(33 * MIB));
    await expect(client.raw(echoPath, message)).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: expect.stringMatching(/33554432|32 MiB/) as string,
    });
    const frame = Buffer.concat([Buffer.from([0]), Buffer.alloc(4), message]);
    frame.writeUInt32BE(message.length, 1);
    const answer = await fetch(server.url + echoPath, {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web+proto', authorization: `Bearer ${server.token}` },
      body: frame,
    }).catch((error: unknown) => error as Error);
    // The server answers before it has read the whole message; Node's fetch may not see such an early response.
    if (answer instanceof Response) {
      expect(answer.headers.get('grpc-status') ?? (await answer.text())).toMatch(/^8$|grpc-status: *8/);
    }
    await isUnharmed();
  });

  it('a message of 31 MiB is not', async () => {
    const client = new GrpcClient(server);
    onTestFinished(() => client.close());
    const answer = await client.raw(echoPath, echoRequest('x'.repeat(31 * MIB)));
    expect(answer.length).toBeGreaterThan(31 * MIB);
    await isUnharmed();
  });

  it('unknown methods and services are Unimplemented, naming what was asked for', async () => {
    for (const path of [
      '/core.component.motor.v1.MotorService/Fly',
      '/core.component.moter.v1.MoterService/SetPower',
      '/nothing',
    ]) {
      await expect(bystander.grpc.raw(path, new Uint8Array())).rejects.toMatchObject({
        code: status.UNIMPLEMENTED,
        details: expect.stringContaining(path.split('/').at(-1) ?? '') as string,
      });
    }
    await isUnharmed();
  });

  it('bytes that are no message are InvalidArgument', async () => {
    await expect(bystander.grpc.raw(echoPath, Buffer.from([0x0a, 0xff, 0xff, 0xff]))).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    await isUnharmed();
  });

  it('a client that never reads its answers is bounded, and told so', async () => {
    const session = connectHttp2(server.url, { settings: { initialWindowSize: 0 } });
    onTestFinished(() => session.destroy());
    session.on('error', () => undefined);
    const closed = once(session, 'close').then(() => 'closed');
    await once(session, 'remoteSettings');
    const message = echoRequest('x'.repeat(8 * MIB));
    const frame = Buffer.concat([Buffer.from([0]), Buffer.alloc(4), message]);
    frame.writeUInt32BE(message.length, 1);
    const refused = new Promise<string>((resolve) => {
      for (let index = 0; index < 30; index++) {
        const stream = session.request({
          ':method': 'POST',
          ':path': echoPath,
          'content-type': 'application/grpc',
          te: 'trailers',
        });
        stream.on('error', () => resolve('reset'));
        const look = (headers: IncomingHttpHeaders): void => {
          if (headers['grpc-status'] !== undefined) resolve(`status ${String(headers['grpc-status'])}`);
        };
        stream.on('response', look).on('trailers', look);
        stream.end(frame);
      }
    });
    await expect(Promise.race([refused, closed])).resolves.toMatch(/^(status 8|reset|closed)$/);
    await isUnharmed();
    session.destroy();
    await isUnharmed();
  });

  it('a reader that never reads a stream of changes costs nobody else theirs', async () => {
    const lazy = bystander.grpc.stream(ConfigServiceDefinition, 'watch', { partId: '' });
    lazy.on('error', () => undefined);
    const keen = bystander.grpc.stream(ConfigServiceDefinition, 'watch', { partId: '' });
    keen.on('error', () => undefined);
    let latest: WatchResponse | undefined;
    keen.on('data', (next: WatchResponse) => (latest = next));
    for (const rpm of [81, 82, 83]) {
      const text = bench.replace('"max_rpm": 100', `"max_rpm": ${rpm}`);
      await server.writeConfig(text);
      await until(`${rpm} is seen`, () => latest?.text === text, 10_000);
    }
    await server.writeConfig(bench);
    await until('the bench is back', () => latest?.text === bench, 10_000);
    lazy.cancel();
    keen.cancel();
    await isUnharmed();
  });
});
