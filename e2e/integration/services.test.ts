import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { Client, credentials, Metadata, status, type ClientReadableStream } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GetPositionResponse, IsPoweredResponse } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { Level, LogServiceDefinition, type Entry, type TailResponse } from '../../proto/gen/core/log/v1/log.ts';
import { RobotServiceDefinition, TunnelRequest, TunnelResponse } from '../../proto/gen/core/robot/v1/robot.ts';
import {
  Resource_State,
  StatusServiceDefinition,
  type Resource,
  type WatchResponse as StatusUpdate,
} from '../../proto/gen/core/status/v1/status.ts';
import { WatchServiceDefinition, type WatchItem, type WatchUpdate } from '../../proto/gen/core/watch/v1/watch.ts';
import { methodPath } from '../harness/grpc-client.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const bench = await readFile(benchConfig, 'utf8');

let server: ServerProcess;
let client: MachineClient;
const streams: ClientReadableStream<unknown>[] = [];

beforeAll(async () => {
  server = await startServer({ config: bench });
  client = new MachineClient(server);
});

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.cancel();
  await client.stopAll();
});

afterAll(async () => {
  client.close();
  expect(await server.stop()).toBe(0);
});

/** Collects the messages of a stream, until the test ends. */
function collect<T>(stream: ClientReadableStream<T>): T[] {
  const all: T[] = [];
  stream.on('data', (next: T) => all.push(next));
  stream.on('error', () => undefined);
  streams.push(stream);
  return all;
}

describe('StatusService/Watch', () => {
  it('gives a snapshot, then each change with state, reason, since and attempts, without being asked again', async () => {
    const events = collect<StatusUpdate>(client.grpc.stream(StatusServiceDefinition, 'watch', {}));
    await until('the snapshot', () => events.length > 0, 5_000);
    const [first] = events;
    if (first?.event?.$case !== 'snapshot') throw new Error('the first event is no snapshot');
    const { machine, resources } = first.event.value;
    expect(machine).toMatchObject({ configSource: server.configPath, errors: 0 });
    expect(machine?.desiredRevision).toBe(machine?.appliedRevision);
    expect(resources.map(({ state }) => state)).toEqual(resources.map(() => Resource_State.READY));
    const turntable = resources.find(({ name }) => name === 'core:component:motor/turntable');
    expect([...(turntable?.dependsOn ?? [])].sort()).toEqual([
      'core:component:board/bench',
      'core:component:encoder/wheel',
    ]);

    const latest = (name: string): Resource | undefined =>
      events
        .flatMap(({ event }) => (event?.$case === 'changes' ? event.value.upserted : []))
        .findLast((resource) => resource.name === name);
    await server.writeConfig(bench.replace('"fail_new": false', '"fail_new": true'));
    await until('the board has failed twice', () => (latest('core:component:board/bench')?.attempts ?? 0) >= 2, 15_000);
    const board = latest('core:component:board/bench');
    expect(board?.reason).toMatch(/fail_new/);
    expect(board?.nextRetry?.getTime()).toBeGreaterThanOrEqual(board?.since?.getTime() ?? Infinity);
    const motor = latest('core:component:motor/left');
    expect(motor).toMatchObject({ state: Resource_State.WAITING, waitingFor: ['core:component:board/bench'] });
    expect(motor?.reason).toContain('bench');
    await server.writeConfig(bench);
    await until(
      'the motor is ready again',
      () => latest('core:component:motor/left')?.state === Resource_State.READY,
      10_000,
    );
  });
});

describe('WatchService/Watch', () => {
  const item = (method: string, id = 'a', more: Partial<WatchItem> = {}): WatchItem => ({
    id,
    resource: 'core:component:motor/turntable',
    method,
    request: new Uint8Array(),
    interval: { seconds: 0n, nanos: 50_000_000 },
    ...more,
  });
  const open = (...items: WatchItem[]): WatchUpdate[] =>
    collect(client.grpc.stream(WatchServiceDefinition, 'watch', { items }));
  const powerOf = (update: WatchUpdate | undefined): number | undefined =>
    update?.result?.$case === 'response' ? IsPoweredResponse.decode(update.result.value).powerPct : undefined;

  it('asks again and again, and says how old each answer is and how many watch', async () => {
    const one = open(item('IsPowered'), item('GetPosition', 'b'));
    const two = open(item('/core.component.motor.v1.MotorService/IsPowered', 'other'));
    await client.setPower('turntable', 0.5);
    await until(
      'both see the power',
      () => powerOf(one.findLast(({ id }) => id === 'a')) === 0.5 && powerOf(two.at(-1)) === 0.5,
      5_000,
    );
    await until('each knows of the other', () => one.findLast(({ id }) => id === 'a')?.viewers === 2, 5_000);
    const position = one.findLast(({ id }) => id === 'b')?.result;
    expect(position?.$case === 'response' && GetPositionResponse.decode(position.value).position).toEqual(
      expect.any(Number),
    );
    expect(one.every(({ age }) => Number(age?.seconds) < 5)).toBe(true);
  });

  it('tells a failure of the call, and goes on', async () => {
    const updates = open(item('IsPowered', 'a', { resource: 'core:component:motor/nowhere' }));
    await until('two answers', () => updates.length >= 2, 10_000);
    expect(updates[0]?.result).toMatchObject({ $case: 'error', value: { code: status.NOT_FOUND } });
  });

  it.each([
    ['what starts motion', item('SetPower'), /SetPower cannot be watched/],
    ['what there is not', item('GetPowr'), /GetPowr cannot be watched/],
    ['no resource name', item('IsPowered', 'a', { resource: 'left' }), /not a full resource name/],
  ])('refuses %s, saying what can be watched', async (_title, wrong, words) => {
    const stream = client.grpc.stream(WatchServiceDefinition, 'watch', { items: [wrong] });
    stream.resume();
    const [error] = (await once(stream, 'error')) as [{ code: status; details: string }];
    expect(error.code).toBe(status.INVALID_ARGUMENT);
    expect(error.details).toMatch(words);
  });
});

describe('LogService', () => {
  const filter = {
    levels: [],
    logger: '',
    resource: '',
    text: '',
    start: undefined,
    end: undefined,
    afterSeq: 0n,
    beforeSeq: 0n,
  };
  const say = (message: string): Promise<unknown> =>
    client.grpc.call(RobotServiceDefinition, 'log', {
      logs: [
        {
          host: 'elsewhere',
          level: 'warn',
          time: new Date(),
          loggerName: 'guest',
          message,
          caller: undefined,
          stack: '',
          fields: [],
        },
      ],
    });
  const query = (more: object) =>
    client.grpc.call(LogServiceDefinition, 'query', {
      partId: '',
      filter,
      limit: 0,
      pageToken: '',
      newestFirst: false,
      ...more,
    });

  it('Query gives the past in pages, by level, logger and text', async () => {
    for (const word of ['one', 'two', 'three']) await say(`query ${word}`);
    const mine = { ...filter, text: 'QUERY ' };
    const first = await query({ filter: mine, limit: 2, newestFirst: true });
    expect(first.entries.map(({ message }) => message)).toEqual(['query three', 'query two']);
    const second = await query({ filter: mine, limit: 2, newestFirst: true, pageToken: first.nextPageToken });
    expect(second.entries.map(({ message }) => message)).toEqual(['query one']);
    expect(second.nextPageToken).toBe('');
    expect((await query({ filter: { ...mine, levels: [Level.ERROR] } })).entries).toEqual([]);
    expect((await query({ filter: { ...mine, logger: 'GUEST', levels: [Level.WARN] } })).entries).toHaveLength(3);
    const all = (await query({ limit: 1_000 })).entries;
    expect(all.some(({ logger, message }) => logger === 'core.config' && message.includes('is in force'))).toBe(true);
    await expect(query({ pageToken: 'nonsense' })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  it('Tail begins with a piece of the past and goes on with the present, each entry once', async () => {
    for (const word of ['1', '2', '3']) await say(`tail ${word}`);
    const stream = client.grpc.stream(LogServiceDefinition, 'tail', {
      partId: '',
      filter: { ...filter, text: 'tail' },
      backlog: 2,
    });
    const answers = collect<TailResponse>(stream);
    const entries = (): Entry[] => answers.flatMap((answer) => answer.entries);
    await until('the backlog', () => entries().length === 2, 5_000);
    await say('tail 4');
    await until('the present', () => entries().length === 3, 5_000);
    expect(entries().map(({ message }) => message)).toEqual(['tail 2', 'tail 3', 'tail 4']);
    const seqs = entries().map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => Number(a - b)));
  });

  it('folds what is said four times in ten seconds, and announces that it does', async () => {
    for (let index = 0; index < 8; index++) await say('knock knock');
    const { entries } = await query({ filter: { ...filter, text: 'knock knock' }, limit: 100 });
    expect(entries.filter(({ message }) => message === 'knock knock').length).toBeLessThanOrEqual(4);
    expect(entries.some(({ message }) => message !== 'knock knock')).toBe(true);
  });
});

describe('RobotService', () => {
  it('lists operations with their arguments, cancels one, and BlockForOperation waits for its end', async () => {
    const going = client.goFor('turntable', 60, 1_000).then(
      () => status.OK,
      (error: { code: status }) => error.code,
    );
    await until('the motor turns', () => client.isMoving('turntable'), 5_000);
    const { operations } = await client.grpc.call(RobotServiceDefinition, 'getOperations', {});
    const operation = operations.find(({ method }) => method.endsWith('MotorService/GoFor'));
    expect(operation?.arguments).toMatchObject({ name: 'turntable', rpm: 60, revolutions: 1_000 });
    const id = operation?.id ?? '';
    const blocked = client.grpc.call(RobotServiceDefinition, 'blockForOperation', { id });
    await client.grpc.call(RobotServiceDefinition, 'cancelOperation', { id });
    await blocked;
    expect(await going).toBe(status.CANCELLED);
    await until('the motor stands', async () => !(await client.isMoving('turntable')), 5_000);
  });

  it('names the gRPC service of each API, in the spelling of the asker', async () => {
    const { resourceRpcSubtypes: ours } = await client.grpc.call(RobotServiceDefinition, 'resourceRPCSubtypes', {});
    const motor = ours.find(({ subtype }) => subtype?.subtype === 'motor');
    expect(motor).toMatchObject({
      protoService: 'core.component.motor.v1.MotorService',
      subtype: { namespace: 'core' },
    });
    const bytes = await client.grpc.raw('/viam.robot.v1.RobotService/ResourceRPCSubtypes', new Uint8Array());
    expect(bytes.toString('latin1')).toContain('viam.component.motor.v1.MotorService');
    expect(bytes.toString('latin1')).toContain('rdk');
  });

  it('says where in the fleet of its own hub it is', async () => {
    const ids = await client.grpc.call(RobotServiceDefinition, 'getCloudMetadata', {});
    expect(Object.values(ids).every((id) => id !== '')).toBe(true);
  });

  it('says what it cannot do without a module, and why', async () => {
    const restart = client.grpc.call(RobotServiceDefinition, 'restartModule', {
      moduleId: '',
      moduleName: 'acme',
    });
    await expect(restart).rejects.toMatchObject({
      code: status.NOT_FOUND,
      details: expect.stringContaining('acme') as string,
    });
  });

  it('lists the tunnels of the configuration; bytes pass through them and through no other port', async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const { port } = echo.address() as AddressInfo;
    const document = JSON.parse(bench) as { network: object };
    const network = { ...document.network, traffic_tunnel_endpoints: [{ port, connection_timeout: '2s' }] };
    await server.writeConfig(JSON.stringify({ ...document, network }));
    const list = async () => (await client.grpc.call(RobotServiceDefinition, 'listTunnels', {})).tunnels;
    await until('the tunnel is listed', async () => (await list())[0]?.port === port, 10_000);

    const grpc = new Client(server.url.replace('http://', ''), credentials.createInsecure());
    const proof = new Metadata();
    proof.set('authorization', `Bearer ${server.token}`);
    const open = () =>
      grpc.makeBidiStreamRequest(
        methodPath(RobotServiceDefinition, 'tunnel'),
        (message: TunnelRequest) => Buffer.from(TunnelRequest.encode(message).finish()),
        (bytes: Buffer) => TunnelResponse.decode(bytes),
        proof,
      );
    const tunnel = open();
    let heard = '';
    tunnel.on('data', ({ data }: TunnelResponse) => (heard += Buffer.from(data).toString()));
    const ended = once(tunnel, 'end');
    tunnel.write({ destinationPort: port, data: Buffer.from('hello ') });
    tunnel.write({ destinationPort: 0, data: Buffer.from('tunnel') });
    tunnel.end();
    await ended;
    expect(heard).toBe('hello tunnel');

    const closed = open();
    closed.resume();
    closed.write({ destinationPort: server.port, data: new Uint8Array() });
    const [error] = (await once(closed, 'error')) as [{ code: status; details: string }];
    expect([error.code, error.details]).toEqual([
      status.PERMISSION_DENIED,
      expect.stringContaining(String(port)) as string,
    ]);
    grpc.close();
    echo.close();
    await server.writeConfig(bench);
  });
});
