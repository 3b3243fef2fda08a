import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { EventLoopDelay, processSource } from './process-source.ts';
import { ProcFile } from './proc-file.ts';
import { memoryIn, parseNetDev, parseStat } from './proc-text.ts';
import { diskSource, networkSource, systemSource } from './system-source.ts';
import type { DiagnosticSource } from '../source.ts';

/** The values of a source by metric name. */
async function read(source: DiagnosticSource): Promise<Record<string, number | undefined>> {
  const reading = (await source.read()) ?? [];
  expect(reading).toHaveLength(source.metrics.length);
  return Object.fromEntries(source.metrics.map(({ name }, index) => [name, reading[index]]));
}

describe('files of /proc', () => {
  it('are read as the kernel writes them', () => {
    const stat =
      'cpu  100 20 30 4000 50 6 7 8 0 0\ncpu0 50 10 15 2000 25 3 3 4 0 0\ncpu1 50 10 15 2000 25 3 4 4 0 0\nintr 1\n';
    expect(parseStat(stat)).toEqual({ busy: 1.63, ioWait: 0.5, steal: 0.08, cores: 2 });
    expect(parseStat('')).toBeUndefined();
    expect(memoryIn('MemTotal:       16312 kB\nMemAvailable:    8156 kB\n', 'MemAvailable')).toBe(8_156 * 1_024);
    expect(memoryIn('', 'MemTotal')).toBeUndefined();
    const devices = `Inter-|   Receive                 |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:  900 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0
  eth0: 1000 2 3 0 0 0 0 0 2000 4 5 0 0 0 0 0
 wlan0:10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0
`;
    expect(parseNetDev(devices)).toEqual({ receivedBytes: 1_010, sentBytes: 2_020, errors: 8 });
  });

  it('that are not there are nothing', () => {
    expect(new ProcFile('/proc/no-such-file').read()).toBeUndefined();
  });
});

describe('this computer', () => {
  it('says what it has, in values that can be', async () => {
    const system = await read(systemSource());
    expect(system['cpu.cores']).toBeGreaterThan(0);
    expect(system['memory.total']).toBeGreaterThan(system['memory.available'] ?? Infinity);
    const disk = await read(diskSource('/'));
    expect(disk['size']).toBeGreaterThanOrEqual(disk['free'] ?? Infinity);
    if (process.platform === 'linux') expect((await read(networkSource()))['received']).toBeGreaterThanOrEqual(0);
  });

  it('is read anew each time', async () => {
    const source = processSource(new EventLoopDelay(new ManualClock()));
    const before = await read(source);
    for (let sum = 0, end = performance.now() + 30; performance.now() < end;) sum += Math.sqrt(sum + 1);
    const after = await read(source);
    expect(after['cpu.total']).toBeGreaterThan(before['cpu.total'] ?? Infinity);
    expect(after['memory.resident']).toBeGreaterThan(1_000_000);
    if (process.platform === 'linux') {
      expect(after['open_files']).toBeGreaterThan(2);
      expect(after['threads']).toBeGreaterThan(1);
    }
  });
});

describe('the delay of the event loop', () => {
  it('is how much too late a timer fires, the longest since it was asked', () => {
    let late = 0;
    const manual = new ManualClock();
    // A clock whose monotonic time is ahead of its timers.
    const clock = { now: () => manual.now(), monotonic: () => manual.monotonic() + late, after: manual.after.bind(manual), every: manual.every.bind(manual) }; // prettier-ignore
    const delay = new EventLoopDelay(clock);
    delay.start();
    manual.advance(500);
    late = 70;
    manual.advance(500);
    manual.advance(500);
    expect(delay.takeMax()).toBe(70);
    manual.advance(500);
    expect(delay.takeMax()).toBe(0);
    delay.stop();
    expect(manual.pending).toBe(0);
  });
});
