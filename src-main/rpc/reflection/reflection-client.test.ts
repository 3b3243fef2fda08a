import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import {
  ServerReflectionDefinition,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '../../../proto/gen/grpc/reflection/v1/reflection.ts';
import { ServerReflectionDefinition as AlphaDefinition } from '../../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import { systemClock } from '../../base/clock.ts';
import type { ArmatureError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { CallRouter } from '../routing/call-router.ts';
import { foreignService } from './foreign-service.ts';
import type { StartCall } from '../peer/outbound-call.ts';
import { reflectService } from './reflection-client.ts';
import { ownDescriptors, reflectionService } from './reflection.ts';
import { gizmoDescriptors } from '../testing/foreign-descriptors.ts';
import { LocalConnection } from '../testing/local-caller.ts';

const options = { timeoutMs: 5_000, codes: { unreachable: 'peer.unreachable', refused: 'access.denied' } } as const;
const GIZMO = 'acme.gizmo.v1.GizmoService';

function newRouter(): CallRouter {
  return new CallRouter({ clock: systemClock, logger: silentLogger, maxMessageBytes: 1e7 });
}

function startAt(router: CallRouter): StartCall {
  const connection = new LocalConnection('module');
  return (path, metadata, timeoutMs, responder) => router.start({ path, metadata, timeoutMs, connection }, responder);
}

/** A module of ours that serves the one service of `descriptors` and describes it. */
function moduleWith(definitions: readonly (typeof ServerReflectionDefinition | typeof AlphaDefinition)[]): StartCall {
  const router = newRouter();
  const never = (): never => {
    throw new Error('no call of the service is made');
  };
  router.addForwardedService(foreignService(GIZMO, gizmoDescriptors('acme')), never);
  for (const definition of definitions) router.addService(definition, reflectionService(router, ownDescriptors));
  return startAt(router);
}

type Answer = ServerReflectionResponse['messageResponse'];

/** A module that answers questions as `answer` says. */
function scripted(answer: (question: ServerReflectionRequest['messageRequest']) => Answer): StartCall {
  const router = newRouter();
  router.addService(ServerReflectionDefinition, {
    async *serverReflectionInfo(requests) {
      for await (const { messageRequest } of requests) yield { validHost: '', messageResponse: answer(messageRequest) };
    },
  });
  return startAt(router);
}

function file(name: string, dependency: readonly string[], service?: string): Uint8Array {
  const services = service === undefined ? [] : [{ name: service, method: [] }];
  const content = { name, package: 'acme.v1', dependency: [...dependency], service: services };
  return toBinary(FileDescriptorProtoSchema, create(FileDescriptorProtoSchema, content));
}

const files = (...fileDescriptorProto: Uint8Array[]): Answer => ({
  $case: 'fileDescriptorResponse',
  value: { fileDescriptorProto },
});

const missing: Answer = { $case: 'errorResponse', value: { errorCode: StatusCode.NOT_FOUND, errorMessage: 'none' } };

const namesIn = (set: Uint8Array): string[] => fromBinary(FileDescriptorSetSchema, set).file.map(({ name }) => name);

async function failureOf(promise: Promise<unknown>): Promise<Pick<ArmatureError, 'code' | 'message'>> {
  const { code, message } = await promise.then(
    () => {
      throw new Error('It did not fail.');
    },
    (thrown: unknown) => thrown as ArmatureError,
  );
  return { code, message };
}

describe('asking a peer for the descriptors of a service', () => {
  it.each([
    ['v1', [ServerReflectionDefinition]],
    ['v1alpha alone', [AlphaDefinition]],
  ])('speaks %s', async (_name, definitions) => {
    const set = await reflectService(moduleWith(definitions), GIZMO, options);
    expect(foreignService(GIZMO, set).methods.map(({ name }) => name)).toEqual(['Turn', 'Watch', 'Feed']);
    expect(foreignService(GIZMO, set).methods[0]?.traits.moves).toBe(true);
  });

  it('asks for a service of ours in the spelling that modules know first', async () => {
    const asked: unknown[] = [];
    const other = scripted((question) => {
      asked.push(question?.value);
      return missing;
    });
    const outcome = await failureOf(reflectService(other, 'core.thing.v1.ThingService', options));
    expect(outcome).toEqual({
      code: 'call.not_found',
      message: 'Reflection knows no service core.thing.v1.ThingService.',
    });
    expect(asked).toEqual(['viam.thing.v1.ThingService', 'core.thing.v1.ThingService']);
  });

  it('asks for imports that did not come, once each, and puts them first', async () => {
    const asked: unknown[] = [];
    const start = scripted((question) => {
      asked.push(question?.value);
      if (question?.$case === 'fileContainingSymbol') return files(file('a.proto', ['b.proto', 'c.proto'], 'Api'));
      if (question?.$case !== 'fileByFilename') return missing;
      return files(file(question.value, question.value === 'b.proto' ? ['c.proto', 'd.proto'] : []));
    });
    const set = await reflectService(start, 'acme.v1.Api', options);
    expect(namesIn(set)).toEqual(['c.proto', 'd.proto', 'b.proto', 'a.proto']);
    expect(asked.length).toBe(new Set(asked).size);
  });

  it('leaves out what was sent beside it, and survives imports in a circle', async () => {
    const start = scripted(() =>
      files(file('a.proto', ['b.proto'], 'Api'), file('b.proto', ['a.proto']), file('other.proto', [])),
    );
    expect(namesIn(await reflectService(start, 'acme.v1.Api', options))).toEqual(['b.proto', 'a.proto']);
  });

  it('takes imports that the peer cannot tell from our own files, and says so where we have none', async () => {
    const importing = (name: string): StartCall =>
      scripted((question) =>
        question?.$case === 'fileContainingSymbol' ? files(file('a.proto', [name], 'Api')) : missing,
      );
    const set = await reflectService(importing('common/v1/common.proto'), 'acme.v1.Api', options);
    expect(namesIn(set)).toContain('common/v1/common.proto');
    expect(namesIn(set).at(-1)).toBe('a.proto');
    expect(await failureOf(reflectService(importing('lost.proto'), 'acme.v1.Api', options))).toEqual({
      code: 'call.not_found',
      message: 'Reflection tells of acme.v1.Api, but not of "lost.proto", which its files import.',
    });
  });

  it('does not believe a peer that sends without end, or nonsense', async () => {
    let count = 0;
    const endless = scripted(() => files(file(`${count}.proto`, [`${++count}.proto`], 'Api')));
    expect((await failureOf(reflectService(endless, 'acme.v1.Api', options))).code).toBe('call.too_large');
    const garbage = scripted(() => files(Uint8Array.of(0xff, 0xff, 0xff)));
    expect((await failureOf(reflectService(garbage, 'acme.v1.Api', options))).code).toBe('call.failed_precondition');
    const beside = scripted(() => ({ $case: 'listServicesResponse', value: { service: [] } }));
    expect((await failureOf(reflectService(beside, 'acme.v1.Api', options))).code).toBe('call.failed_precondition');
  });

  it('says that a peer has no reflection, and waits no longer than it may', async () => {
    expect((await failureOf(reflectService(startAt(newRouter()), GIZMO, options))).code).toBe('call.unimplemented');
    const silent = newRouter();
    silent.addService(ServerReflectionDefinition, {
      async *serverReflectionInfo(_requests, call) {
        yield* [];
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      },
    });
    const outcome = await failureOf(reflectService(startAt(silent), GIZMO, { ...options, timeoutMs: 20 }));
    expect(outcome.code).toBe('call.deadline_exceeded');
  });
});
