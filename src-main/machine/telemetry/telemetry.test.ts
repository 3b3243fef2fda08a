import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { RequestSink } from '../../rpc/router.ts';
import { noTracing } from '../config/reading/read-tracing.ts';
import type { TelemetryOptions } from './telemetry-options.ts';
import { Telemetry } from './telemetry.ts';

const sink: RequestSink = { message: () => undefined, halfClose: () => undefined, cancel: () => undefined };
const never = new Promise<never>(() => undefined);

class Fixture {
  readonly clock = new ManualClock();
  readonly printed: string[] = [];
  readonly lines: string[] = [];
  scope: unknown;
  readonly telemetry: Telemetry;

  constructor(more: Partial<TelemetryOptions> = {}) {
    const log = (message: string): void => void this.lines.push(message);
    this.telemetry = new Telemetry({
      clock: this.clock,
      logger: { ...silentLogger, info: log, warn: log, error: log },
      machine: 'bench',
      version: '1',
      folder: () => '/nowhere',
      printsMetrics: false,
      figures: () => ({ inFlight: 0, sessions: 0, modules: new Map(), resources: new Map() }),
      print: (text) => void this.printed.push(text),
      connect: () => Promise.reject(new Error('no collector')),
      ...more,
    });
    this.telemetry.follow((scope) => (this.scope = scope));
  }

  call(): void {
    const call = {
      method: { path: '/a.B/C', name: 'C' },
      metadata: {},
      connection: { transport: 'grpc' },
      principal: { kind: 'local' },
      resourceName: '',
      startedAt: this.clock.monotonic(),
    } as unknown as ServerCall;
    this.telemetry.interceptor.request?.(call);
    this.telemetry.interceptor.end?.(call, { code: StatusCode.OK, message: '' });
  }
}

describe('telemetry that is off', () => {
  it('has no hooks, and leaves work and calls as they are', async () => {
    const { telemetry, scope } = new Fixture();
    expect([telemetry.interceptor.request, telemetry.interceptor.end, scope]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const metadata = { a: 'b' };
    let given: unknown;
    const start = telemetry.outbound('m', (_path, record) => ((given = record), sink));
    const responder = { headers: () => undefined, message: () => undefined, end: () => undefined };
    expect(start('/a.B/C', metadata, 1, responder)).toBe(sink);
    expect(given).toBe(metadata);
    const work = Promise.resolve(7);
    expect(telemetry.traced('x', {}, () => work)).toBe(work);
    telemetry.receive([]);
    await telemetry.close();
  });
});

describe('tracing', () => {
  it('is turned on and off while the machine runs', async () => {
    const fixture = new Fixture();
    const { telemetry } = fixture;
    telemetry.configure({ ...noTracing, console: true });
    expect(telemetry.isTracing).toBe(true);
    // Work that starts while it is being loaded is recorded too.
    await telemetry.traced('resource.build', {}, () => Promise.resolve());
    expect(fixture.scope).toBeDefined();
    fixture.call();
    telemetry.configure(noTracing);
    await telemetry.settled();
    expect(fixture.printed.join('')).toMatch(
      /^span \S+ .* work resource\.build OK\nspan .* call a\.B\/C by local OK\n$/,
    );
    expect([telemetry.isTracing, telemetry.interceptor.request, fixture.scope]).toEqual([false, undefined, undefined]);
    fixture.call();
    expect(fixture.lines).toEqual([
      'Tracing is on. Modules that run already record spans of their own after their next start.',
      'Tracing is off.',
    ]);
  });

  it('that cannot be opened is told of, and holds up nothing', async () => {
    const fixture = new Fixture();
    const address = { text: 'c:1', host: 'c', port: 1, isEncrypted: true };
    fixture.telemetry.configure({ ...noTracing, otlp: { protocol: 'grpc', address } });
    expect(await fixture.telemetry.traced('x', {}, () => Promise.resolve(7))).toBe(7);
    expect(fixture.lines).toEqual(['Tracing does not work: no collector']);
    await fixture.telemetry.close();
  });

  it('waits for a collector that does not answer only for a short while', async () => {
    const start = (): RequestSink => sink;
    const fixture = new Fixture({ connect: () => Promise.resolve({ start, close: () => undefined }) });
    const address = { text: 'c:1', host: 'c', port: 1, isEncrypted: true };
    fixture.telemetry.configure({ ...noTracing, otlp: { protocol: 'grpc', address } });
    await fixture.telemetry.settled();
    fixture.call();
    let isClosed = false;
    const closing = fixture.telemetry.close().then(() => (isClosed = true));
    await Promise.race([never, new Promise((resolve) => setImmediate(resolve))]);
    expect(isClosed).toBe(false);
    fixture.clock.advance(1_500);
    await closing;
  });
});

describe('metrics', () => {
  it('are printed every 10 s, when they are asked for', async () => {
    const printed = Promise.withResolvers<string>();
    const fixture = new Fixture({ printsMetrics: true, print: printed.resolve });
    // The metrics code is loaded first.
    while (fixture.telemetry.interceptor.request === undefined) await new Promise((resolve) => setImmediate(resolve));
    fixture.call();
    fixture.clock.advance(10_000);
    expect(await printed.promise).toContain('1 calls, 0 failed');
    await fixture.telemetry.close();
  });
});
