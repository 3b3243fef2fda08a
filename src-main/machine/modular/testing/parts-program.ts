/**
 * A module for tests, as a process: a board, a motor that needs one, a sensor and a custom API. Argument 1 is the
 * address to listen on.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import { createServer } from 'node:net';
import path from 'node:path';
import { ServerReflectionDefinition } from '../../../../proto/gen/grpc/reflection/v1/reflection.ts';
import type { ComponentConfig } from '../../../../proto/gen/core/app/v1/robot.ts';
import type { FakeBoardAttributes } from '../../models/board-fake/schema.ts';
import { parseTriplet } from '../../../../proto/config/names.ts';
import type { Resource } from '../../../apis/resource.ts';
import { namespaceIn, protoNameIn, tripletIn } from '../../../base/dialect.ts';
import { systemClock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import { StatusCode } from '../../../base/status.ts';
import { MAX_MESSAGE_BYTES } from '../../../rpc/routing/call-router.ts';
import { foreignService } from '../../../rpc/reflection/foreign-service.ts';
import { GrpcHttp2 } from '../../../rpc/grpc/grpc-http2.ts';
import { ownDescriptors, reflectionService } from '../../../rpc/reflection/reflection.ts';
import { gizmoDescriptors } from '../../../rpc/testing/foreign-descriptors.ts';
import { TrackedConnection } from '../../../rpc/tracked-connection.ts';
import { FakeBoard } from '../../models/board-fake/fake-board.ts';
import type { OfferedModel } from '../../modules/run/running-module.ts';
import { boardModel, FakeModule, motorModel, sensorModel } from './fake-module.ts';

export const GIZMO_API = 'acme:component:gizmo';
export const GIZMO_SERVICE = 'acme.gizmo.v1.GizmoService';
const gizmoModel: OfferedModel = { api: GIZMO_API, model: 'acme:parts:gizmo', service: GIZMO_SERVICE };
const models = [boardModel, motorModel, sensorModel, gizmoModel];

/** The program as an executable: a script, because whoever runs the tests chose which Node is used. */
export function partsProgramIn(folder: string): string {
  const script = path.join(folder, 'parts');
  const flag = '--disable-warning=ExperimentalWarning';
  writeFileSync(script, `#!/bin/sh\nexec '${process.execPath}' ${flag} '${import.meta.filename}' "$@"\n`);
  chmodSync(script, 0o755);
  return script;
}

function make(config: ComponentConfig, name: string): Resource {
  const close = (): Promise<void> => Promise.resolve();
  let commands = 0;
  const common = {
    name,
    close,
    doCommand: ({ exit }: { exit?: number }) => {
      if (exit !== undefined) setImmediate(() => process.exit(exit));
      return Promise.resolve({ pid: process.pid });
    },
  };
  switch (config.model) {
    case boardModel.model:
      return new FakeBoard(name, config.attributes as unknown as FakeBoardAttributes, systemClock);
    case sensorModel.model:
      return { ...common, readings: () => Promise.resolve({ ...config.attributes, reads: ++commands }) } as Resource;
    default:
      return {
        ...common,
        stop: () => Promise.resolve(),
        isMoving: () => Promise.resolve(false),
        properties: () => Promise.resolve({ isPositionReported: true }),
      } as Resource;
  }
}

function serve(listenAt: string): void {
  const module = new FakeModule({
    clock: systemClock,
    models,
    make,
    ready: () => {
      const handlers = models.map(({ api, model, service }) => {
        const { namespace = '', family = '', name = '' } = parseTriplet(api) ?? {};
        const subtype = { namespace: namespaceIn(namespace, 'viam'), type: family, subtype: name, name: '' };
        return {
          subtype: { subtype, protoService: protoNameIn(service, 'viam') },
          models: [tripletIn(model, 'viam')],
        };
      });
      return Promise.resolve({ ready: true, handlermap: { handlers }, webrtcAnswer: '' });
    },
  });
  module.onValidate = ({ model, attributes }) => {
    if (model !== motorModel.model) return {};
    const board = attributes?.['board'];
    if (typeof board !== 'string') throw new ArmatureError('call.bad_argument', 'attribute "board" must be a name');
    return { dependencies: [board] };
  };
  const { router } = module;
  router.addForwardedService(foreignService(GIZMO_SERVICE, gizmoDescriptors('acme')), () => ({
    kind: 'forward',
    forwarder: {
      start: (_call, _path, responder) => ({
        message: (bytes) => responder.message(bytes, true),
        halfClose: () => responder.end({ code: StatusCode.OK, message: '' }, {}),
        cancel: () => undefined,
      }),
    },
  }));
  router.addService(ServerReflectionDefinition, reflectionService(router, ownDescriptors));
  const grpc = new GrpcHttp2({
    router,
    clock: systemClock,
    logger: silentLogger,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    keepalive: { intervalMs: 60_000, timeoutMs: 10_000 },
    onOtherStream: (stream) => stream.close(),
  });
  createServer((socket) => {
    const connection = new TrackedConnection(socket, 'grpc', false, true);
    const session = http2.performServerHandshake(socket);
    session.on('error', () => undefined);
    session.once('close', () => connection.close());
    grpc.serve(session, connection);
  }).listen({ path: listenAt });
  process.on('SIGTERM', () => process.exit(0));
}

if (process.argv[1] === import.meta.filename) serve(process.argv[2] ?? '');
