import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, credentials } from '@grpc/grpc-js';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BoardServiceDefinition } from '../../proto/gen/core/component/board/v1/board.ts';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { HealthCheckResponse_ServingStatus, HealthDefinition } from '../../proto/gen/grpc/health/v1/health.ts';
import {
  ServerReflectionRequest,
  ServerReflectionResponse,
} from '../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import { boardApi } from '../apis/board.ts';
import type { Board, Tick } from '../apis/board/types.ts';
import { dynamicService } from './server/dynamic-service.ts';
import { counterDescriptors } from './testing/counter-descriptors.ts';
import { componentConfig, TestParent } from './testing/test-parent.ts';

const program = fileURLToPath(new URL('testing/wired-module.fixture.ts', import.meta.url));

/** A board of the machine, with one pin and one interrupt. */
class MachineBoard {
  readonly name = 'main';
  readonly closed = new AbortController().signal;
  readonly listeners = new Set<(tick: Tick) => void>();
  isHigh = false;
  onListener: () => void = () => undefined;

  gpioPin() {
    return {
      set: async (isHigh: boolean) => void (this.isHigh = isHigh),
      get: async () => this.isHigh,
    };
  }

  digitalInterrupt(name: string) {
    return {
      name,
      onTick: (listener: (tick: Tick) => void) => {
        this.listeners.add(listener);
        this.onListener();
        return () => void this.listeners.delete(listener);
      },
    };
  }
}

const edges = componentConfig('core:component:sensor', 'edges', 'acme:wired:edges', {
  board: 'main',
  interrupt: 'i1',
  pin: '7',
});
const ticker = componentConfig('core:component:board', 'ticker', 'acme:wired:ticker');
const counter = componentConfig('acme:component:counter', 'turns', 'acme:wired:counter');

describe('a module that uses the machine, and is used', () => {
  let board: MachineBoard;
  let machine: TestParent;

  beforeEach(async () => {
    board = new MachineBoard();
    const resources = [{ api: boardApi, resource: board as unknown as Board }];
    machine = await TestParent.start({ program, resources });
  });
  afterEach(() => machine.close());

  const sensor = async () =>
    (await machine.call(SensorServiceDefinition, 'getReadings', { name: 'edges', extra: undefined })).readings;

  it('calls its dependencies back through the machine, streams too', async () => {
    const listened = new Promise<void>((resolve) => (board.onListener = resolve));
    await machine.add(edges, ['rdk:component:board/main']);
    await machine.call(SensorServiceDefinition, 'doCommand', { name: 'edges', command: { pin: true } });
    expect(board.isHigh).toBe(true);
    await listened;
    for (const listener of board.listeners) {
      listener({ interrupt: 'i1', timeNs: 1n, isHigh: true });
      listener({ interrupt: 'i1', timeNs: 2n, isHigh: false });
    }
    await machine.until('both edges were seen', () => machine.logs.some(({ message }) => message === 'edge 2 down'));
    expect(await sensor()).toEqual({ count: 2, pin: true });
  });

  it('is refused what it was not given, with what it was given', async () => {
    await expect(machine.add(edges)).rejects.toMatchObject({
      code: 'resource.not_found',
      message:
        '"edges" was not given rdk:component:board/main; it was given none. Name it in the dependencies of the model.',
    });
    await machine.add(edges, ['rdk:component:board/main']);
    const reach = { name: 'edges', command: { reach: 'left' } };
    await expect(machine.call(SensorServiceDefinition, 'doCommand', reach)).rejects.toMatchObject({
      message:
        '"edges" was not given rdk:component:motor/left; it was given rdk:component:board/main. Name it in the dependencies of the model.',
    });
  });

  it('serves the ticks of its own board, and ends them when the board is closed', async () => {
    await machine.add(ticker);
    const ticks = machine.stream(BoardServiceDefinition, 'streamTicks', {
      name: 'ticker',
      pinNames: ['i1'],
      extra: undefined,
    });
    expect((await ticks.next()).value).toMatchObject({ pinName: '' });
    const command = { name: 'ticker', command: { ticks: 3 } };
    expect(await machine.call(BoardServiceDefinition, 'doCommand', command)).toEqual({ result: { listeners: 1 } });
    expect((await ticks.next()).value).toMatchObject({ pinName: 'i1', time: 1n, high: true });
    expect((await ticks.next()).value).toMatchObject({ pinName: 'i1', time: 2n, high: false });
    expect((await ticks.next()).value).toMatchObject({ pinName: 'i1', time: 3n, high: true });
    await machine.remove('rdk:component:board/ticker');
    await expect(ticks.next()).rejects.toMatchObject({ code: 'resource.not_ready' });
  });

  it('keeps the streams of one instance while another is added, changed and removed', async () => {
    await machine.add(ticker);
    const ticks = machine.stream(BoardServiceDefinition, 'streamTicks', {
      name: 'ticker',
      pinNames: ['i1'],
      extra: undefined,
    });
    await ticks.next();
    await machine.add(edges, ['rdk:component:board/main']);
    await machine.reconfigure(edges, ['rdk:component:board/main']);
    await machine.remove('rdk:component:sensor/edges');
    await machine.call(BoardServiceDefinition, 'doCommand', { name: 'ticker', command: { ticks: 1 } });
    expect((await ticks.next()).value).toMatchObject({ pinName: 'i1', time: 1n });
  });

  it('serves an API of its own, methods of every kind', async () => {
    await machine.add(counter);
    const service = dynamicService(counterService());
    const turns = (stepSize: bigint) => ({ name: 'turns', stepSize });
    expect(await machine.call(service, 'add', turns(5n))).toMatchObject({ total: 5n });
    const watch = machine.stream(service, 'watch', turns(1n));
    expect((await watch.next()).value).toMatchObject({ total: 6n });
    expect((await watch.next()).value).toMatchObject({ total: 7n });
    await watch.return(undefined);
    await expect(machine.call(service, 'reset', turns(0n))).rejects.toMatchObject({ code: 'call.unimplemented' });
    await expect(machine.call(service, 'add', { name: 'none', stepSize: 1n })).rejects.toMatchObject({
      message: 'This module has no acme:component:counter/none.',
    });

    const client = new Client(`unix:${path.join(machine.folder, 'module.sock')}`, credentials.createInsecure());
    const { requestType, responseType } = service.methods['sum']!;
    const encode = (message: object): Buffer => Buffer.from(requestType.encode(message).finish());
    const decode = (bytes: Buffer): { total: bigint } => responseType.decode(bytes) as { total: bigint };
    const before = ((await machine.call(service, 'add', turns(0n))) as { total: bigint }).total;
    const sum = await new Promise<bigint>((resolve, reject) => {
      const call = client.makeClientStreamRequest(
        '/acme.counter.v1.CounterService/Sum',
        encode,
        decode,
        (error, answer) => (error === null ? resolve(answer!.total) : reject(error)),
      );
      for (const step of [1n, 2n, 3n]) call.write(turns(step));
      call.end();
    });
    expect(sum).toBe(before + 6n);
    const follow = client.makeBidiStreamRequest('/acme.counter.v1.CounterService/Follow', encode, decode);
    const totals: bigint[] = [];
    follow.on('data', ({ total }: { total: bigint }) => {
      totals.push(total - sum);
      if (totals.length === 2) follow.end();
      else follow.write(turns(10n));
    });
    follow.write(turns(10n));
    await new Promise((resolve, reject) => follow.on('end', resolve).on('error', reject));
    expect(totals).toEqual([10n, 20n]);
    client.close();
  });

  it('tells by reflection what it serves, its own API with its files', async () => {
    const client = new Client(`unix:${path.join(machine.folder, 'module.sock')}`, credentials.createInsecure());
    const stream = client.makeBidiStreamRequest(
      '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
      (request: ServerReflectionRequest) => Buffer.from(ServerReflectionRequest.encode(request).finish()),
      (bytes: Buffer) => ServerReflectionResponse.decode(bytes),
    );
    const ask = (messageRequest: ServerReflectionRequest['messageRequest']): Promise<ServerReflectionResponse> =>
      new Promise((resolve, reject) => {
        stream.once('data', resolve).once('error', reject);
        stream.write({ host: '', messageRequest });
      });
    const listed = await ask({ $case: 'listServices', value: '' });
    const names =
      listed.messageResponse?.$case === 'listServicesResponse'
        ? listed.messageResponse.value.service.map(({ name }) => name)
        : [];
    expect(names).toContain('acme.counter.v1.CounterService');
    expect(names).toContain('viam.component.board.v1.BoardService');
    expect(names).toContain('viam.module.v1.ModuleService');
    expect(names).not.toContain('viam.component.motor.v1.MotorService');
    const answer = await ask({ $case: 'fileContainingSymbol', value: 'acme.counter.v1.CounterService' });
    const files =
      answer.messageResponse?.$case === 'fileDescriptorResponse'
        ? answer.messageResponse.value.fileDescriptorProto.map(
            (file) => fromBinary(FileDescriptorProtoSchema, file).name,
          )
        : [];
    expect(files).toEqual(['acme/counter/v1/counter.proto']);
    stream.end();
    client.close();
  });

  it('answers health checks', async () => {
    expect(await machine.call(HealthDefinition, 'check', { service: '' })).toEqual({
      status: HealthCheckResponse_ServingStatus.SERVING,
    });
  });
});

function counterService() {
  const found = createFileRegistry(fromBinary(FileDescriptorSetSchema, counterDescriptors)).getService(
    'acme.counter.v1.CounterService',
  );
  if (found === undefined) throw new Error('the descriptors have no service');
  return found;
}
