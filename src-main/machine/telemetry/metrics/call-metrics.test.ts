import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import type { ServerCall } from '../../../rpc/call.ts';
import type { MachineFigures } from '../telemetry-options.ts';
import { CallMetrics } from './call-metrics.ts';

const figures: MachineFigures = {
  inFlight: 2,
  sessions: 1,
  modules: new Map(),
  resources: new Map([
    ['ready', 5],
    ['failed', 1],
  ]),
};

describe('metrics of calls', () => {
  it('count them, their failures, and how long they took, by method', async () => {
    const clock = new ManualClock();
    const metrics = new CallMetrics(clock, () => figures);
    const make = (path: string, ms: number, code: StatusCode = StatusCode.OK): void => {
      const call = { method: { path }, startedAt: clock.monotonic() } as unknown as ServerCall;
      metrics.begin(call);
      clock.advance(ms);
      metrics.end(call, { code, message: '' });
    };
    for (let count = 0; count < 98; count++) make('/a.B/Fast', 2);
    make('/a.B/Fast', 40);
    make('/a.B/Fast', 20_000, StatusCode.DEADLINE_EXCEEDED);
    make('/a.B/Rare', 7);
    const refused = { method: { path: '/made.Up/Name' }, startedAt: 0 } as unknown as ServerCall;
    metrics.end(refused, { code: StatusCode.UNIMPLEMENTED, message: '' });
    expect((await metrics.text()).split('\n')).toEqual([
      `telemetry ${new Date(clock.now()).toISOString()}: 101 calls, 1 failed, 2 under way; sessions 1; modules 0; resources 5 ready, 1 failed`,
      '  method    calls  failed   mean    p50   p99  longest',
      '  a.B/Fast    100       1  202ms  2.5ms  50ms  20000ms',
      '  a.B/Rare      1       0    7ms    7ms   7ms      7ms',
      '',
    ]);
  });

  it('are one line while nobody has called', async () => {
    const metrics = new CallMetrics(new ManualClock(), () => figures);
    expect(await metrics.text()).toMatch(/^telemetry \S+: 0 calls, 0 failed, 2 under way; .*\n$/);
  });
});
