import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { Collector } from './collector.ts';

describe('a collector', () => {
  let clock: ManualClock;
  let warnings: string[];
  let at: number[];
  let collector: Collector | undefined;
  let answer: () => Promise<boolean>;
  const logger: Logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };

  beforeEach(() => {
    clock = new ManualClock(0);
    warnings = [];
    at = [];
    answer = () => Promise.resolve(true);
  });
  afterEach(() => collector?.close());

  const begin = (frequencyHz: number): Collector => {
    const capture = (): Promise<boolean> => {
      at.push(clock.monotonic());
      return answer();
    };
    return (collector = new Collector({ label: 'Readings of s', frequencyHz, capture, clock, logger }));
  };
  const turn = async (): Promise<void> => {
    for (let index = 0; index < 10; index++) await Promise.resolve();
  };
  const pass = async (ms: number, stepMs = 1): Promise<void> => {
    await turn();
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      await turn();
    }
  };

  it('reads at its frequency, from the first moment on', async () => {
    begin(10);
    await pass(1_000);
    expect(at).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]);
    expect(collector?.state).toEqual({ captured: 11, missed: 0, failures: 0, error: '' });
  });

  it('makes up for timers that fire late: none is lost at a thousand a second', async () => {
    begin(1_000);
    await pass(3_000, 3);
    expect(at.length).toBeGreaterThanOrEqual(3_000);
    expect(collector?.state.missed).toBe(0);
  });

  it('reads one at a time; what a slow resource leaves out is counted', async () => {
    begin(10);
    let answered: (is: boolean) => void = () => undefined;
    answer = () => new Promise((resolve) => (answered = resolve));
    await pass(5_000);
    expect(at).toHaveLength(1);
    answer = () => Promise.resolve(true);
    answered(true);
    await pass(500);
    const { captured, missed } = collector?.state ?? { captured: 0, missed: 0 };
    expect(captured + missed).toBe(56);
    expect(missed).toBeGreaterThan(40);
  });

  it('tries again after a failure, soon but not at once, and logs the same reason once a minute', async () => {
    begin(1_000);
    answer = () => Promise.reject(new ArmatureError('hardware.failed', 'the wire is off'));
    await pass(10_000);
    expect(at.length).toBeGreaterThan(30);
    expect(at.length).toBeLessThan(50);
    expect(warnings).toEqual(['Readings of s cannot be captured: the wire is off']);
    await pass(60_000, 10);
    expect(warnings).toHaveLength(2);
    answer = () => Promise.resolve(true);
    await pass(1_000);
    expect(collector?.state.error).toBe('');
    expect(collector?.state.captured).toBeGreaterThan(700);
  });

  it('says nothing of a resource that is not ready: that has its place elsewhere', async () => {
    begin(10);
    answer = () => Promise.reject(new ArmatureError('resource.not_ready', 's is not ready'));
    await pass(1_000);
    expect(warnings).toEqual([]);
    expect(collector?.state.error).toBe('s is not ready');
  });

  it('ends with the reading under way, and without one that does not come', async () => {
    begin(10);
    let answered: (is: boolean) => void = () => undefined;
    answer = () => new Promise((resolve) => (answered = resolve));
    await pass(10);
    let isClosed = false;
    const closed = collector?.close().then(() => (isClosed = true));
    await turn();
    expect(isClosed).toBe(false);
    answered(true);
    await closed;
    expect(collector?.state.captured).toBe(1);
    await pass(1_000);
    expect(at).toHaveLength(1);

    begin(10);
    await pass(10);
    const given = collector?.close();
    collector = undefined;
    await pass(1_000);
    await given;
  });
});
