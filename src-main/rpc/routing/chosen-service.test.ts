import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from './call-router.ts';
import { chosenService } from './chosen-service.ts';
import type { ServiceHandlers } from '../service.ts';
import { echo, echoPath, echoService, echoType, encodeEcho, type Echo } from '../testing/echo-service.ts';
import { callOnce, startCall } from '../testing/local-caller.ts';

type Handlers = ServiceHandlers<typeof echoService>;

function routerWith(choose: (request: Echo) => Handlers | Promise<Handlers>): CallRouter {
  const router = new CallRouter({ clock: systemClock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  router.addService(
    echoService,
    chosenService(echoService, (request) => choose(request as Echo)),
  );
  return router;
}

const speaker = (name: string): Handlers => ({
  say: (request) => echo(`${name} ${request.name}`),
  async *repeat({ count }) {
    for (let index = 0; index < count; index++) yield await Promise.resolve(echo(`${name} ${index}`));
  },
});

describe('a service whose handlers are chosen call by call', () => {
  it.each([
    ['at once', (handlers: Handlers) => handlers],
    ['later', (handlers: Handlers) => Promise.resolve(handlers)],
  ])('is answered by the one that its request chooses, %s', async (_when, give) => {
    const router = routerWith(({ name }) => give(speaker(name === 'x' ? 'first' : 'second')));
    const one = callOnce(router, echoPath('Say'), encodeEcho(echo('x')));
    const many = callOnce(router, echoPath('Repeat'), encodeEcho(echo('y', 2)));
    await Promise.all([one.ended, many.ended]);
    expect(one.messages.map((bytes) => echoType.decode(bytes).name)).toEqual(['first x']);
    expect(many.messages.map((bytes) => echoType.decode(bytes).name)).toEqual(['second 0', 'second 1']);
  });

  it('says that a method is not implemented where the chosen one has none, and passes a refusal on', async () => {
    const bare = callOnce(
      routerWith(() => ({})),
      echoPath('Say'),
      encodeEcho(echo('x')),
    );
    expect((await bare.ended).code).toBe(StatusCode.UNIMPLEMENTED);
    const refused = routerWith(() => Promise.reject(new ArmatureError('hub.unreachable', 'not open')));
    for (const method of ['Say', 'Repeat']) {
      const call = callOnce(refused, echoPath(method), encodeEcho(echo('x')));
      expect(await call.ended).toEqual({ code: StatusCode.UNAVAILABLE, message: 'not open' });
    }
  });
});

describe('calls of services that are not served here', () => {
  it('are passed on as bytes in whatever shape they have, those of known services are not', async () => {
    const router = routerWith(() => speaker('here'));
    const paths: string[] = [];
    router.forwardOthers({
      start(_call, path, responder) {
        paths.push(path);
        return {
          message: (bytes) => responder.message(bytes, false),
          halfClose: () => responder.end({ code: 0, message: '' }, {}),
          cancel: () => undefined,
        };
      },
    });
    const call = startCall(router, '/acme.v1.Gripper/Chat');
    void call.sink.message(Buffer.from('a'));
    void call.sink.message(Buffer.from('b'));
    call.sink.halfClose();
    expect((await call.ended).code).toBe(StatusCode.OK);
    expect(call.messages.map((bytes) => Buffer.from(bytes).toString())).toEqual(['a', 'b']);
    const unknown = callOnce(router, echoPath('Nothing'), new Uint8Array());
    expect((await unknown.ended).code).toBe(StatusCode.UNIMPLEMENTED);
    expect(paths).toEqual(['/acme.v1.Gripper/Chat']);
  });
});
