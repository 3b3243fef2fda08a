import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { CallRouter } from '../../../rpc/routing/call-router.ts';
import { echo, echoPath, echoService, encodeEcho } from '../../../rpc/testing/echo-service.ts';
import { callOnce } from '../../../rpc/testing/local-caller.ts';
import type { DiagnosticSource } from '../source.ts';
import { CallCounter } from './call-counter.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const clock = new ManualClock();
  const counter = new CallCounter(clock);
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: 1_000 });
  router.addInterceptor(counter.interceptor);
  let finish = (): void => undefined;
  router.addResourceService<string, typeof echoService>(
    echoService,
    {
      say: async (_name, request) => {
        if (request.name === 'fails') throw new ArmatureError('hardware.failed', 'broken');
        await new Promise<void>((resolve) => (finish = resolve));
        return request;
      },
    },
    (name) => ({ kind: 'local', resource: name }),
  );
  const sources = new Map<string, DiagnosticSource>();
  const end = counter.addTo((source) => {
    if (sources.has(source.name)) throw new Error(`${source.name} twice`);
    sources.set(source.name, source);
    return () => void sources.delete(source.name);
  });
  const read = (name: string): unknown => sources.get(name)?.read();
  return { clock, router, sources, read, finish: () => finish(), end };
}

const say = (name: string): Uint8Array => encodeEcho(echo(name));
const SAY = `calls.${echoPath('Say').slice(1)}`;

describe('the counter of calls', () => {
  it('counts requests, errors, time and calls under way, of each method and together', async () => {
    const { clock, router, read, finish } = setUp();
    callOnce(router, echoPath('Say'), say('left'));
    await settled();
    expect(read(SAY)).toEqual([1, 0, 0, 1]);
    clock.advance(250);
    finish();
    await settled();
    callOnce(router, echoPath('Say'), say('fails'));
    await settled();
    expect(read(SAY)).toEqual([2, 1, 0.25, 0]);
    expect(read('calls')).toEqual([2, 1, 0.25, 0]);
  });

  it('counts together what callers invent', async () => {
    const { router, sources, read } = setUp();
    for (const name of ['A', 'B', 'C']) callOnce(router, `/made.up.v1.Service/${name}`, say('left'));
    await settled();
    expect(read('calls.unknown')).toEqual([3, 3, 0, 0]);
    expect([...sources.keys()]).toEqual(['calls', 'calls.unknown']);
  });

  it('takes its sources away again', () => {
    const { sources, end } = setUp();
    end();
    expect(sources.size).toBe(0);
  });
});
