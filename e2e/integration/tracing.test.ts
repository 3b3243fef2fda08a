import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Server, ServerCredentials, type ServerUnaryCall } from '@grpc/grpc-js';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BoardServiceDefinition } from '../../proto/gen/core/component/board/v1/board.ts';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { RobotServiceDefinition, SendTracesRequest } from '../../proto/gen/core/robot/v1/robot.ts';
import type { AnyValue } from '../../proto/gen/opentelemetry/proto/common/v1/common.ts';
import { ResourceSpans, type Span } from '../../proto/gen/opentelemetry/proto/trace/v1/trace.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { benchConfig, startServer, type ServerOptions, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { withModules } from '../harness/with-modules.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const traceparent = `00-${TRACE}-${CALLER}-01`;
const bench = JSON.parse(await readFile(benchConfig, 'utf8')) as object;

/** An OpenTelemetry collector over gRPC, with every span that it received. */
class Collector {
  readonly spans: Span[] = [];
  readonly #server = new Server();
  address = '';

  async listen(port = 0): Promise<void> {
    const bytes = (value: Buffer): Buffer => value;
    this.#server.addService(
      {
        Export: {
          path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
          requestStream: false,
          responseStream: false,
          requestSerialize: bytes,
          requestDeserialize: bytes,
          responseSerialize: bytes,
          responseDeserialize: bytes,
        },
      },
      {
        Export: ({ request }: ServerUnaryCall<Buffer, Buffer>, answer: (error: null, bytes: Buffer) => void) => {
          const { resourceSpans } = SendTracesRequest.decode(request);
          this.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
          answer(null, Buffer.alloc(0));
        },
      },
    );
    const bound = await new Promise<number>((resolve, reject) =>
      this.#server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, number) =>
        error === null ? resolve(number) : reject(error),
      ),
    );
    this.address = `127.0.0.1:${bound}`;
  }

  /** The first span with this name, once it has arrived. */
  async span(name: string, holds: (span: Span) => boolean = () => true): Promise<Span> {
    const find = (): Span | undefined => this.spans.find((span) => span.name.endsWith(name) && holds(span));
    await until(`a span ${name}`, () => find() !== undefined, 20_000);
    return find() as Span;
  }

  close(): void {
    this.#server.forceShutdown();
  }
}

async function collector(): Promise<Collector> {
  const made = new Collector();
  await made.listen();
  onTestFinished(() => made.close());
  return made;
}

async function serve(document: object, more: Partial<ServerOptions> = {}): Promise<ServerProcess> {
  const server = await startServer({ config: JSON.stringify({ ...bench, ...document }), ...more });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

function clientOf(server: ServerProcess): GrpcClient {
  const client = new GrpcClient(server);
  onTestFinished(() => client.close());
  return client;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function attribute({ attributes }: Span, key: string): AnyValue['value'] {
  return attributes.find((one) => one.key === key)?.value?.value;
}

const setPower = (client: GrpcClient, headers = {}): Promise<unknown> =>
  client.call(MotorServiceDefinition, 'setPower', { name: 'left', powerPct: 0.25 }, { headers });

describe('tracing', () => {
  it('sends a span of each call to the collector, within the trace of its caller, without what was sent', async () => {
    const there = await collector();
    const server = await serve({ tracing: { enabled: true, otlpendpoint: there.address } });
    const client = clientOf(server);
    await setPower(client, { traceparent });
    const span = await there.span('core.component.motor.v1.MotorService/SetPower');
    expect([hex(span.traceId), hex(span.parentSpanId)]).toEqual([TRACE, CALLER]);
    expect(attribute(span, 'machine.resource')).toEqual({ $case: 'stringValue', value: 'left' });
    expect(attribute(span, 'rpc.grpc.status_code')).toEqual({ $case: 'intValue', value: 0n });
    // From the start: the resources of the configuration were built within spans.
    const built = await there.span('resource.build', (one) => {
      const resource = attribute(one, 'machine.resource');
      return resource?.$case === 'stringValue' && resource.value === 'core:component:motor/left';
    });
    expect(built.endTimeUnixNano).toBeGreaterThanOrEqual(built.startTimeUnixNano);
    await client.call(BoardServiceDefinition, 'getGPIO', { name: 'nobody', pin: '11' }).catch(() => undefined);
    const failed = await there.span('BoardService/GetGPIO');
    expect(failed.status?.code).toBe(2);
    const everything = JSON.stringify(there.spans, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value instanceof Uint8Array ? hex(value) : value,
    );
    expect(everything).not.toContain('powerPct');
    expect(everything).not.toContain(server.token);
  });

  it('is turned on and off while the machine runs, and prints lines on standard output', async () => {
    const server = await serve({});
    const client = clientOf(server);
    await setPower(client);
    await server.writeConfig(JSON.stringify({ ...bench, tracing: { enabled: true, console: true } }));
    await until('tracing is on', () => server.stderr().includes('Tracing is on.'), 20_000);
    await setPower(client, { traceparent });
    const line = new RegExp(`^span ${TRACE} \\w{16} ${CALLER} \\S+ \\S+ms call \\S+/SetPower left by \\S+ OK$`, 'm');
    await until('a span is printed', () => line.test(server.stdout()), 20_000);
    await server.writeConfig(JSON.stringify(bench));
    await until('tracing is off', () => server.stderr().includes('Tracing is off.'), 20_000);
    const before = server.stdout();
    await setPower(client);
    expect(await server.stop()).toBe(0);
    expect(server.stdout().slice(before.length)).not.toContain('SetPower');
  });

  it('goes on while the collector is away, says so once, and sends again when it is back', async () => {
    const there = await collector();
    const port = Number(there.address.split(':')[1]);
    there.close();
    const server = await serve({ tracing: { enabled: true, otlpendpoint: there.address } });
    const client = clientOf(server);
    const told = (): number => server.stderr().split('Spans do not arrive at the collector').length - 1;
    await setPower(client);
    await until('it says so', () => told() > 0, 20_000);
    await setPower(client);
    const back = new Collector();
    await back.listen(port);
    onTestFinished(() => back.close());
    await until(
      'spans arrive again',
      async () => {
        await setPower(client);
        return server.stderr().includes('again;');
      },
      20_000,
    );
    await back.span('MotorService/SetPower');
    expect(told()).toBe(1);
    const began = performance.now();
    back.close();
    await setPower(client);
    expect(await server.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('follows a call through a module and back', { timeout: 90_000 }, async (context) => {
    const there = await collector();
    const board = { name: 'bench', api: 'core:component:board', model: 'fake', attributes: {} };
    const attributes = { board: 'bench', pin: '11' };
    const machine = await withModules(context, {
      modules: [{ name: 'motors', kind: 'node-grpc' }],
      components: [board, { name: 'far', api: 'core:component:motor', model: 'acme:bare:motor', attributes }],
      more: { tracing: { enabled: true, otlpendpoint: there.address } },
    });
    await machine.ready('far');
    const { grpc } = machine.client;
    await grpc.call(MotorServiceDefinition, 'setPower', { name: 'far', powerPct: 0.5 }, { headers: { traceparent } });
    const isOfTrace = ({ traceId }: Span): boolean => hex(traceId) === TRACE;
    const inside = await there.span('BoardService/SetPWM', isOfTrace);
    const sent = await there.span('MotorService/SetPower', (span) => isOfTrace(span) && span.kind === 3);
    const call = await there.span('MotorService/SetPower', (span) => isOfTrace(span) && span.kind === 2);
    expect(hex(call.parentSpanId)).toBe(CALLER);
    expect(hex(sent.parentSpanId)).toBe(hex(call.spanId));
    expect(hex(inside.parentSpanId)).toBe(hex(sent.spanId));
    expect(attribute(sent, 'peer.service')).toEqual({ $case: 'stringValue', value: 'motors' });
    expect(attribute(inside, 'machine.caller')).toEqual({ $case: 'stringValue', value: 'module' });
    // Adding the resource to its module is part of building it.
    const added = await there.span('ModuleService/AddResource');
    const built = await there.span('resource.build', ({ spanId }) => hex(spanId) === hex(added.parentSpanId));
    expect(hex(built.traceId)).toBe(hex(added.traceId));
    // The module was told at its start, and sends its own spans.
    expect(await machine.command('far', { env: ['VIAM_MODULE_TRACING'] }, MotorServiceDefinition.fullName)).toEqual({
      VIAM_MODULE_TRACING: '1',
    });
    const traceId = Buffer.from(TRACE, 'hex');
    await grpc.call(
      RobotServiceDefinition,
      'sendTraces',
      SendTracesRequest.fromPartial({
        resourceSpans: [
          { scopeSpans: [{ spans: [{ traceId, spanId: Buffer.from(CALLER, 'hex'), name: 'of the module' }] }] },
        ],
      }),
    );
    expect(isOfTrace(await there.span('of the module'))).toBe(true);
    // Turning it off does not restart the module.
    const pid = machine.modules.get('motors')?.pid;
    await machine.configure({
      modules: [{ name: 'motors', kind: 'node-grpc' }],
      components: [board, { name: 'far', api: 'core:component:motor', model: 'acme:bare:motor', attributes }],
    });
    expect(machine.modules.get('motors')?.pid).toBe(pid);
  });

  it('keeps files of spans below the home of the program, also those of the last moment', async () => {
    const home = await temporaryFolder();
    const server = await serve({ tracing: { enabled: true, disk: true } }, { home });
    await setPower(clientOf(server), { traceparent });
    expect(await server.stop()).toBe(0);
    const trace = path.join(home, 'home', 'trace');
    const [machine = ''] = await readdir(trace);
    const reader = new BinaryReader(await readFile(path.join(trace, machine, 'traces')));
    const spans: Span[] = [];
    while (reader.pos < reader.len) {
      spans.push(...ResourceSpans.decode(reader.bytes()).scopeSpans.flatMap((scope) => scope.spans));
    }
    expect(spans.filter(({ traceId }) => hex(traceId) === TRACE).map(({ name }) => name)).toEqual([
      'core.component.motor.v1.MotorService/SetPower',
    ]);
  });
});

describe('-output-telemetry', () => {
  it('prints how many calls there were, and how long they took', async () => {
    const server = await serve({}, { args: ['-output-telemetry'] });
    await setPower(clientOf(server));
    const table = /core\.component\.motor\.v1\.MotorService\/SetPower +1 +0 +\S+ms/;
    await until('the metrics are printed', () => table.test(server.stdout()), 25_000);
    expect(server.stdout()).toMatch(
      /^telemetry \S+: \d+ calls, \d+ failed, \d+ under way; sessions \d+; modules 0; resources \d+ ready/m,
    );
  });
});
