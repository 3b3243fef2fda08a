import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { fileDescriptorSet } from '../../../proto/gen/descriptors.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import { foreignService } from '../reflection/foreign-service.ts';
import type { Method } from '../method.ts';
import type { ForeignService, Forwarder } from '../router.ts';
import { echo, encodeEcho } from '../testing/echo-service.ts';
import { gizmoDescriptors } from '../testing/foreign-descriptors.ts';
import { callOnce } from '../testing/local-caller.ts';
import { DEFAULT_DEADLINE_MS, deadlineInterceptor } from './deadline.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const descriptors = Buffer.from(fileDescriptorSet, 'base64');

function ownServices(): readonly ForeignService[] {
  return fromBinary(FileDescriptorSetSchema, descriptors).file.flatMap((file) =>
    file.service.map(({ name }) => foreignService(`${file.package}.${name}`, descriptors)),
  );
}

const isStream = ({ requestStream, responseStream }: Method): boolean => requestStream || responseStream;
/** Read once: each reads all our descriptors. */
const own = ownServices();
const ownMethods = own.flatMap(({ methods }) => methods);

/** Never answers. */
const silent: Forwarder = {
  start: () => ({ message: () => undefined, halfClose: () => undefined, cancel: () => undefined }),
};

/** What became of a call of each method whose caller set no deadline, after the default one and after a day. */
function outcomes(services: readonly ForeignService[]): Map<string, string> {
  const clock = new ManualClock();
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  router.addInterceptor(deadlineInterceptor(DEFAULT_DEADLINE_MS));
  for (const service of services) router.addForwardedService(service, () => ({ kind: 'forward', forwarder: silent }));
  const calls = services.flatMap(({ methods }) =>
    methods.map(({ path }) => [path, callOnce(router, path, encodeEcho(echo('left')))] as const),
  );
  clock.advance(DEFAULT_DEADLINE_MS - 1);
  const early = calls.filter(([, { status }]) => status !== undefined);
  expect(early).toEqual([]);
  clock.advance(DAY_MS);
  return new Map(
    calls.map(([path, { status }]) => {
      if (status !== undefined) expect(status.code).toBe(StatusCode.DEADLINE_EXCEEDED);
      return [path, status === undefined ? 'lasts' : 'ended'];
    }),
  );
}

describe('a call without a deadline', () => {
  it('ends by itself where it has one answer, and lasts where its stream is meant to', () => {
    const expected = ownMethods.map((method): [string, string] => [
      method.path,
      isStream(method) && method.traits.duration === 'lasting' ? 'lasts' : 'ended',
    ]);
    expect(outcomes(own)).toEqual(new Map(expected));
  });

  it('lasts where it is a stream of an API that only modules have', () => {
    const service = foreignService('acme.gizmo.v1.GizmoService', gizmoDescriptors('acme'));
    expect(Object.fromEntries(outcomes([service]))).toEqual({
      '/acme.gizmo.v1.GizmoService/Turn': 'ended',
      '/acme.gizmo.v1.GizmoService/Watch': 'lasts',
      '/acme.gizmo.v1.GizmoService/Feed': 'lasts',
    });
  });

  it('is left to whoever answers where its shape is not known here, as at a hub that passes it on to a machine', () => {
    const clock = new ManualClock();
    const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
    router.addInterceptor(deadlineInterceptor(DEFAULT_DEADLINE_MS));
    const given: (number | undefined)[] = [];
    router.forwardOthers({
      start: (call, ...rest) => {
        given.push(call.deadline);
        return silent.start(call, ...rest);
      },
    });
    const path = '/core.status.v1.StatusService/Watch';
    const calls = [{}, { timeoutMs: 5_000 }].map((options) => callOnce(router, path, new Uint8Array(), options));
    clock.advance(DAY_MS);
    expect(given).toEqual([undefined, clock.monotonic() - DAY_MS + 5_000]);
    expect(calls.map(({ status }) => status?.code)).toEqual([undefined, StatusCode.DEADLINE_EXCEEDED]);
  });
});
