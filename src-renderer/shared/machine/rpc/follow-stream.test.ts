import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followStream } from './follow-stream.ts';
import type { MachineConnection } from '../machine.ts';
import type { ConnectionView } from '../machine-view.ts';

function connectionOf(): { connection: MachineConnection; set: (kind: ConnectionView['kind']) => void } {
  let listener: (connection: ConnectionView) => void = () => undefined;
  const view = (kind: ConnectionView['kind']): ConnectionView => ({ kind, reason: '', nextTryAt: 0 });
  return {
    set: (kind) => listener(view(kind)),
    connection: {
      subscribe(onChange) {
        listener = onChange;
        onChange(view('connecting'));
        return () => (listener = () => undefined);
      },
      retryNow: () => undefined,
    },
  };
}

async function* endless(signal: AbortSignal, items: readonly number[]): AsyncGenerator<number> {
  yield* items;
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

describe('following a stream', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('opens on connection, closes when it is lost, and opens again when it is back', async () => {
    const link = connectionOf();
    const signals: AbortSignal[] = [];
    const items: number[] = [];
    followStream<number>({
      connection: link.connection,
      open: (signal) => {
        signals.push(signal);
        return endless(signal, [signals.length]);
      },
      onItem: (item) => items.push(item),
      onProblem: () => undefined,
    });
    expect(signals).toHaveLength(0);
    link.set('connected');
    await vi.advanceTimersByTimeAsync(0);
    link.set('waiting');
    expect(signals[0]?.aborted).toBe(true);
    link.set('connected');
    await vi.advanceTimersByTimeAsync(0);
    expect(items).toEqual([1, 2]);
  });

  it('reopens a broken stream after a growing delay, and reports the problem and its end', async () => {
    const link = connectionOf();
    const problems: string[] = [];
    let opened = 0;
    const stop = followStream<number>({
      connection: link.connection,
      open: (signal) => {
        opened += 1;
        if (opened < 3) throw new Error(`refused ${opened}`);
        return endless(signal, [7]);
      },
      onItem: () => undefined,
      onProblem: (message) => problems.push(message),
    });
    link.set('connected');
    await vi.advanceTimersByTimeAsync(499);
    expect(opened).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(opened).toBe(2);
    await vi.advanceTimersByTimeAsync(999);
    expect(opened).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(problems).toEqual(['refused 1', 'refused 2', '']);
    stop();
  });

  it('does not open again after it was ended', async () => {
    const link = connectionOf();
    let opened = 0;
    const stop = followStream<number>({
      connection: link.connection,
      open: () => {
        opened += 1;
        throw new Error('no');
      },
      onItem: () => undefined,
      onProblem: () => undefined,
    });
    link.set('connected');
    await vi.advanceTimersByTimeAsync(0);
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(opened).toBe(1);
  });
});
