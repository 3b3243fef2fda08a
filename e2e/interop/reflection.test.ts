import { readFile } from 'node:fs/promises';
import { Client, credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ServerReflectionDefinition,
  ServerReflectionRequest,
  ServerReflectionResponse,
} from '../../proto/gen/grpc/reflection/v1/reflection.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';

/** Acts like a client that knows only the machine's address, and learns everything else by reflection. */
describe('reflection, asked by a bare grpc-js client', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServer({ config: await readFile(benchConfig, 'utf8') });
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  /** Sends one request on a new stream; `package` is `grpc.reflection.v1` or `v1alpha`, which have the same bytes. */
  async function ask(version: 'v1' | 'v1alpha', request: ServerReflectionRequest['messageRequest']) {
    const client = new Client(server.url.replace('http://', ''), credentials.createInsecure());
    const method = ServerReflectionDefinition.methods.serverReflectionInfo.name;
    const stream = client.makeBidiStreamRequest(
      `/grpc.reflection.${version}.ServerReflection/${method}`,
      (message: ServerReflectionRequest) => Buffer.from(ServerReflectionRequest.encode(message).finish()),
      (bytes: Buffer) => ServerReflectionResponse.decode(bytes),
    );
    stream.write({ host: '', messageRequest: request });
    const answer = await new Promise<ServerReflectionResponse>((resolve, reject) => {
      stream.on('data', resolve).on('error', reject);
    });
    stream.end();
    client.close();
    return answer.messageResponse;
  }

  async function services(version: 'v1' | 'v1alpha'): Promise<string[]> {
    const answer = await ask(version, { $case: 'listServices', value: '' });
    if (answer?.$case !== 'listServicesResponse') throw new Error(`answered with ${String(answer?.$case)}`);
    return answer.value.service.map(({ name }) => name);
  }

  async function filesOf(symbol: string): Promise<Uint8Array[]> {
    const answer = await ask('v1', { $case: 'fileContainingSymbol', value: symbol });
    if (answer?.$case !== 'fileDescriptorResponse') throw new Error(`answered with ${JSON.stringify(answer)}`);
    return answer.value.fileDescriptorProto;
  }

  it.each(['v1', 'v1alpha'] as const)('lists the services of both spellings over %s', async (version) => {
    const names = await services(version);
    for (const name of [
      'core.component.motor.v1.MotorService',
      'viam.component.motor.v1.MotorService',
      'viam.robot.v1.RobotService',
      'core.config.v1.ConfigService',
      'grpc.health.v1.Health',
      'proto.rpc.v1.AuthService',
    ]) {
      expect(names).toContain(name);
    }
  });

  it.each(['core', 'viam'])('its files are enough to call %s.component.motor.v1.MotorService', async (spelling) => {
    const files = new Map<string, Uint8Array>();
    for (const bytes of await filesOf(`${spelling}.component.motor.v1.MotorService`)) {
      files.set(Buffer.from(bytes).toString('base64'), bytes);
    }
    // FileDescriptorSet: field 1, one for each file.
    const parts = [...files.values()].flatMap((bytes) => [
      Buffer.from([0x0a]),
      varint(bytes.length),
      Buffer.from(bytes),
    ]);
    const loaded = loadPackageDefinition(loadFileDescriptorSetFromBuffer(Buffer.concat(parts), { keepCase: true }));
    const path = `${spelling}.component.motor.v1.MotorService`.split('.');
    const Motor = path.reduce<unknown>(
      (at, part) => (at as Record<string, unknown>)[part],
      loaded,
    ) as ServiceClientConstructor;
    const motor = new Motor(server.url.replace('http://', ''), credentials.createInsecure());
    const call = (method: string, request: object): Promise<Record<string, unknown>> =>
      new Promise((resolve, reject) => {
        const invoke = motor[method] as (
          request: object,
          done: (error: Error | null, answer: Record<string, unknown>) => void,
        ) => void;
        invoke.call(motor, request, (error, answer) => (error === null ? resolve(answer) : reject(error)));
      });
    await call('SetPower', { name: 'left', power_pct: 0.5 });
    expect(await call('IsPowered', { name: 'left' })).toMatchObject({ is_on: true, power_pct: 0.5 });
    await call('Stop', { name: 'left' });
    motor.close();
  });

  it('answers a symbol it does not have with NotFound, in the answer and not by ending the stream', async () => {
    const answer = await ask('v1', { $case: 'fileContainingSymbol', value: 'no.such.Thing' });
    expect(answer).toMatchObject({ $case: 'errorResponse', value: { errorCode: 5 } });
  });
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}
