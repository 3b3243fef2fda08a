import {
  Client,
  credentials,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus as Serving,
  HealthDefinition,
} from '../../../proto/gen/grpc/health/v1/health.ts';
import {
  ServerReflectionDefinition,
  ServerReflectionRequest,
  ServerReflectionResponse,
} from '../../../proto/gen/grpc/reflection/v1/reflection.ts';
import { ServerReflectionDefinition as AlphaDefinition } from '../../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import { StatusCode } from '../../base/status.ts';
import { foreignService } from './foreign-service.ts';
import { healthService } from '../health.ts';
import { ownDescriptors, reflectionService } from './reflection.ts';
import { gizmoDescriptors } from '../testing/foreign-descriptors.ts';
import { startTestMachine, type TestMachine } from '../testing/test-machine.ts';

let machine: TestMachine;
let client: Client;
let loads = 0;
let isReady = false;
const listeners = new Set<() => void>();

beforeAll(async () => {
  machine = await startTestMachine();
  const { router } = machine;
  const reflection = reflectionService(router, () => {
    loads += 1;
    return ownDescriptors();
  });
  router.addService(ServerReflectionDefinition, reflection);
  router.addService(AlphaDefinition, reflection);
  const readiness = {
    get isReady() {
      return isReady;
    },
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  router.addService(HealthDefinition, healthService(router, readiness));
  for (const definition of [MotorServiceDefinition, BoardServiceDefinition, RobotServiceDefinition]) {
    router.addService(definition, {});
  }
  client = new Client(`127.0.0.1:${machine.port}`, credentials.createInsecure());
});

afterAll(async () => {
  client.close();
  await machine.listener.close(0);
});

type Ask = ServerReflectionRequest['messageRequest'];

/** A conversation with reflection: one answer a question. */
class Conversation {
  readonly #stream: ClientDuplexStream<ServerReflectionRequest, ServerReflectionResponse>;
  readonly #waiting: ((response: ServerReflectionResponse) => void)[] = [];

  constructor(version: string) {
    this.#stream = client.makeBidiStreamRequest(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      (request: ServerReflectionRequest) => Buffer.from(ServerReflectionRequest.encode(request).finish()),
      (bytes) => ServerReflectionResponse.decode(bytes),
    );
    this.#stream.on('data', (response: ServerReflectionResponse) => this.#waiting.shift()?.(response));
  }

  ask(messageRequest: Ask): Promise<ServerReflectionResponse> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#stream.write({ host: 'bench', messageRequest });
    });
  }

  end(): void {
    this.#stream.end();
  }
}

function filesIn(response: ServerReflectionResponse) {
  if (response.messageResponse?.$case !== 'fileDescriptorResponse') {
    throw new Error(`no files but ${JSON.stringify(response.messageResponse)}`);
  }
  return response.messageResponse.value.fileDescriptorProto.map((bytes) =>
    fromBinary(FileDescriptorProtoSchema, bytes),
  );
}

describe('reflection', () => {
  it('loads descriptors at the first request only', () => {
    expect(loads).toBe(0);
  });

  it.each(['v1', 'v1alpha'])('a bare client walks every service and every import over %s', async (version) => {
    const conversation = new Conversation(version);
    const listed = await conversation.ask({ $case: 'listServices', value: '' });
    const names =
      listed.messageResponse?.$case === 'listServicesResponse'
        ? listed.messageResponse.value.service.map(({ name }) => name)
        : [];
    expect(names).toEqual(
      expect.arrayContaining([
        'core.component.motor.v1.MotorService',
        'viam.component.motor.v1.MotorService',
        'viam.component.board.v1.BoardService',
        'viam.robot.v1.RobotService',
        'grpc.reflection.v1.ServerReflection',
        'grpc.reflection.v1alpha.ServerReflection',
        'grpc.health.v1.Health',
      ]),
    );
    expect(new Set(names).size).toBe(names.length);
    const known = new Map<string, readonly string[]>();
    // The test service of this suite has no proto file.
    for (const name of names.filter((each) => !each.includes('.test.v1.'))) {
      const found = filesIn(await conversation.ask({ $case: 'fileContainingSymbol', value: name }));
      const first = found[0];
      expect(first?.service.map((service) => `${first.package}.${service.name}`)).toContain(name);
      for (const file of found) known.set(file.name, file.dependency);
    }
    for (const [name, dependencies] of known) {
      for (const dependency of dependencies) expect(known.has(dependency), `${name} imports ${dependency}`).toBe(true);
      const [byName] = filesIn(await conversation.ask({ $case: 'fileByFilename', value: name }));
      expect(byName?.name).toBe(name);
    }
    conversation.end();
    expect(loads).toBe(1);
  });

  it('answers for extensions, and says what it does not know without ending the conversation', async () => {
    const conversation = new Conversation('v1');
    const request = { containingType: 'google.protobuf.MethodOptions', extensionNumber: 84260 };
    const [file] = filesIn(await conversation.ask({ $case: 'fileContainingExtension', value: request }));
    expect(file?.extension.map(({ number }) => number)).toContain(84260);
    const numbers = await conversation.ask({ $case: 'allExtensionNumbersOfType', value: request.containingType });
    expect(numbers.messageResponse).toMatchObject({ value: { extensionNumber: [84260] } });
    const unknown: Ask[] = [
      { $case: 'fileContainingSymbol', value: 'no.Such' },
      { $case: 'fileByFilename', value: 'no.proto' },
      { $case: 'allExtensionNumbersOfType', value: 'no.Such' },
      { $case: 'fileContainingExtension', value: { ...request, extensionNumber: 1 } },
    ];
    for (const ask of unknown) {
      const response = await conversation.ask(ask);
      expect(response.originalRequest?.messageRequest).toEqual(ask);
      expect(response.messageResponse).toMatchObject({ $case: 'errorResponse', value: { errorCode: 5 } });
    }
    conversation.end();
  });

  it('has the files of services it passes on, each vendor its own, for as long as they are there', async () => {
    const conversation = new Conversation('v1');
    const names = ['acme', 'bolt'].map((vendor) => `${vendor}.gizmo.v1.GizmoService`);
    const packagesOf = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const name of names) {
        const answer = await conversation.ask({ $case: 'fileContainingSymbol', value: name });
        found.push(
          ...(answer.messageResponse?.$case === 'errorResponse' ? ['none'] : [filesIn(answer)[0]?.package ?? '']),
        );
      }
      return found;
    };
    const listed = async (): Promise<unknown> =>
      (await conversation.ask({ $case: 'listServices', value: '' })).messageResponse?.value;
    expect(await packagesOf()).toEqual(['none', 'none']);
    const removals = ['acme', 'bolt'].map((vendor) =>
      machine.router.addForwardedService(
        foreignService(`${vendor}.gizmo.v1.GizmoService`, gizmoDescriptors(vendor)),
        () => {
          throw new Error('nobody calls it');
        },
      ),
    );
    expect(await packagesOf()).toEqual(['acme.gizmo.v1', 'bolt.gizmo.v1']);
    expect(await listed()).toMatchObject({
      service: expect.arrayContaining(names.map((name) => ({ name }))) as unknown,
    });
    for (const remove of removals) remove();
    expect(await packagesOf()).toEqual(['none', 'none']);
    expect(JSON.stringify(await listed())).not.toContain('gizmo');
    conversation.end();
  });
});

describe('health', () => {
  const serialize = (service: string): Buffer => Buffer.from(HealthCheckRequest.encode({ service }).finish());
  const deserialize = (bytes: Buffer): HealthCheckResponse => HealthCheckResponse.decode(bytes);

  function check(service: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, response?: HealthCheckResponse): void => {
        if (error !== null) reject(error);
        else resolve(response?.status ?? -1);
      };
      client.makeUnaryRequest('/grpc.health.v1.Health/Check', serialize, deserialize, service, done);
    });
  }

  function setReady(value: boolean): void {
    isReady = value;
    for (const listener of listeners) listener();
  }

  it.each(['', 'core.component.motor.v1.MotorService', 'viam.component.motor.v1.MotorService'])(
    '"%s" is serving when the machine is ready, and not before',
    async (service) => {
      setReady(false);
      await expect(check(service)).resolves.toBe(Serving.NOT_SERVING);
      setReady(true);
      await expect(check(service)).resolves.toBe(Serving.SERVING);
    },
  );

  it('an unknown service is NotFound', async () => {
    await expect(check('no.Such')).rejects.toMatchObject({ code: StatusCode.NOT_FOUND });
  });

  it('Watch tells the state and every change of it', async () => {
    setReady(false);
    const stream: ClientReadableStream<HealthCheckResponse> = client.makeServerStreamRequest(
      '/grpc.health.v1.Health/Watch',
      serialize,
      deserialize,
      '',
    );
    const seen: number[] = [];
    await new Promise<void>((resolve, reject) => {
      stream.on('error', reject);
      stream.on('data', ({ status }: HealthCheckResponse) => {
        seen.push(status);
        if (seen.length === 1) setReady(true);
        if (seen.length === 2) setReady(false);
        if (seen.length === 3) resolve();
      });
    });
    expect(seen).toEqual([Serving.NOT_SERVING, Serving.SERVING, Serving.NOT_SERVING]);
    const gone = new Promise<void>((resolve) => stream.once('error', () => resolve()));
    stream.cancel();
    await gone;
    await expect.poll(() => listeners.size).toBe(0);
  });

  it('Watch of an unknown service says so and stays open', async () => {
    const stream = client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', serialize, deserialize, 'no.Such');
    stream.on('error', () => undefined);
    const first = await new Promise<HealthCheckResponse>((resolve) => stream.once('data', resolve));
    expect(first.status).toBe(Serving.SERVICE_UNKNOWN);
    stream.cancel();
  });
});
