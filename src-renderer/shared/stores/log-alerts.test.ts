import { createPinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp } from 'vue';
import { machineKey, type LogTailOptions, type Machine } from '../machine/machine.ts';
import { everyLine, type ConnectionView, type LogBatch, type LogLine } from '../machine/machine-view.ts';
import { MAX_COUNTED, useLogAlerts } from './log-alerts.ts';

/** A connected machine whose log the test writes. */
class Errors {
  readonly asked: LogTailOptions[] = [];
  #push: (batch: LogBatch) => void = () => undefined;
  readonly connection = {
    subscribe: (onChange: (view: ConnectionView) => void) => {
      onChange({ kind: 'connected', reason: '', nextTryAt: 0 });
      return () => undefined;
    },
    retryNow: () => undefined,
  };

  async *tailLogs(options: LogTailOptions): AsyncGenerator<LogBatch> {
    this.asked.push(options);
    const waiting: LogBatch[] = [];
    let wake = (): void => undefined;
    this.#push = (batch) => {
      waiting.push(batch);
      wake();
    };
    for (;;) {
      const next = waiting.shift();
      if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else yield next;
    }
  }

  say(seqs: readonly number[], lastSeq = 0): void {
    const lines = seqs.map((seq): LogLine => {
      const words = { logger: 'core', message: 'x', resource: '', fields: '', caller: '' };
      return { ...words, seq, at: 0, level: 'error', repeats: 1, firstAt: 0 };
    });
    this.#push({ lines, dropped: 0, lastSeq });
  }
}

function open(machine: Errors) {
  const app = createApp({});
  app.provide(machineKey, machine as unknown as Machine);
  const pinia = createPinia();
  app.use(pinia);
  return useLogAlerts(pinia);
}

const soon = (expectation: () => void): Promise<void> => vi.waitFor(expectation);

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('errors since the log was last viewed', () => {
  it('are counted from the first start of the page, but not while the log is shown', async () => {
    const machine = new Errors();
    const alerts = open(machine);
    machine.say([3, 4], 10);
    machine.say([12, 14]);
    await soon(() => expect(alerts.label).toBe('2'));
    const leave = alerts.look();
    expect(alerts.label).toBe('');
    machine.say([15]);
    machine.say([16]);
    await soon(() => expect(localStorage.getItem('armature.logs.seen')).toBe('16'));
    leave();
    machine.say([17]);
    await soon(() => expect(alerts.count).toBe(1));
  });

  it('are those after the last line seen by the previous page', async () => {
    localStorage.setItem('armature.logs.seen', '40');
    const machine = new Errors();
    const alerts = open(machine);
    expect(machine.asked[0]).toMatchObject({ criteria: { ...everyLine, level: 'error' }, afterSeq: 40 });
    machine.say([42, 45], 50);
    await soon(() => expect(alerts.label).toBe('2'));
  });

  it('are counted up to a limit, and start again if the machine restarted its numbers', async () => {
    localStorage.setItem('armature.logs.seen', '1000');
    const machine = new Errors();
    const alerts = open(machine);
    machine.say([4], 5);
    machine.say(Array.from({ length: MAX_COUNTED + 20 }, (_, index) => 6 + index));
    await soon(() => expect(alerts.label).toBe('99+'));
  });
});
