import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UploadLogsRequest } from '../../../proto/gen/core/hub/v1/part.ts';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger, type LogLevel } from '../../base/logger.ts';
import { LogRegistry } from '../logging/log-registry.ts';
import type { LogStore } from '../logging/stored/log-store.ts';
import { defaultLogStoreLimits } from '../logging/stored/log-protocol.ts';
import { openLogStore } from '../logging/stored/log-store.ts';
import type { HubState } from './hub-link.ts';
import { LogUploader, type LogShedding } from './log-upload.ts';

const away = new ArmatureError('hub.unreachable', 'no connection');

/** A hub that stores what it receives, and loses nothing while it is offline. */
class LogHub {
  readonly kept = new Map<number, string>();
  readonly uploads: number[] = [];
  readonly bytes: number[] = [];
  state: HubState['kind'] = 'online';
  isFailing = false;
  /** Stores the entries, then loses the connection before it answers. */
  losesAnswers = 0;
  #listeners = new Set<() => void>();
  #waiting: (() => void)[] = [];

  readonly link = {
    get: () => undefined,
    onChange: (listener: () => void) => {
      this.#listeners.add(listener);
      return () => void this.#listeners.delete(listener);
    },
    call: async (_service: unknown, _method: unknown, request: UploadLogsRequest) => {
      if (this.isFailing || this.state !== 'online') throw away;
      this.uploads.push(request.entries.length);
      this.bytes.push(UploadLogsRequest.encode(request).finish().length);
      for (const { seq, message } of request.entries) {
        if (this.kept.has(Number(seq))) continue;
        this.kept.set(Number(seq), message);
      }
      for (const resolve of this.#waiting.splice(0)) resolve();
      if (request.entries.length > 0 && this.losesAnswers-- > 0) throw away;
      return { storedSeq: BigInt(Math.max(0, ...this.kept.keys())) };
    },
  };

  become(kind: HubState['kind']): void {
    this.state = kind;
    for (const listener of this.#listeners) listener();
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  asLink(): never {
    const isConnected = (): boolean => this.state === 'online';
    return {
      ...this.link,
      get isConnected() {
        return isConnected();
      },
    } as never;
  }
}

describe('the log on its way to the hub', () => {
  let folder = '';
  let store: LogStore;
  let logs: LogRegistry;
  let uploader: LogUploader;
  let hub: LogHub;

  const open = (logShedding?: LogShedding): void => {
    const opened = openLogStore(folder, defaultLogStoreLimits, systemClock, () => undefined);
    if ('reason' in opened) throw new Error(opened.reason);
    store = opened;
    logs = new LogRegistry({
      clock: new ManualClock(),
      isDebugFlagSet: true,
      historyCapacity: 1_000,
      store,
      firstSeq: store.nextSeq,
    });
    uploader = new LogUploader({
      partId: () => 'p',
      logs,
      link: hub.asLink(),
      clock: systemClock,
      logger: silentLogger,
      ...(logShedding === undefined ? {} : { logShedding }),
    });
  };
  const close = async (): Promise<void> => {
    uploader.close();
    await logs.close();
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-upload-'));
    hub = new LogHub();
  });
  afterEach(async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  });

  const say = (count: number, what = 'line', level: 'debug' | 'info' | 'error' = 'info'): void => {
    for (let index = 0; index < count; index++) logs.logger('core.test')[level](`${what} ${index}`);
  };

  it('goes in batches, in order, each entry once', async () => {
    open();
    say(1_700);
    await hub.until(() => hub.kept.size === 1_700);
    expect([...hub.kept.values()]).toEqual(Array.from({ length: 1_700 }, (_, index) => `line ${index}`));
    expect([...hub.kept.keys()]).toEqual([...hub.kept.keys()].sort((a, b) => a - b));
    expect(Math.max(...hub.uploads)).toBe(500);
    expect(hub.uploads.length).toBeLessThan(12);
    say(3, 'later');
    await hub.until(() => hub.kept.size === 1_703);
  });

  it('what was logged while the hub was away, and before a restart, comes when it is back', async () => {
    hub.state = 'offline';
    open();
    say(800, 'first run');
    await close();
    open();
    say(10, 'second run');
    expect(hub.kept.size).toBe(0);
    hub.become('online');
    await hub.until(() => hub.kept.size === 810);
    expect([...hub.kept.values()].filter((message) => message.startsWith('second'))).toHaveLength(10);
  });

  it('an answer that is lost costs no entry and doubles none', async () => {
    open();
    hub.losesAnswers = 1;
    say(600);
    await hub.until(() => hub.kept.size === 500);
    // The connection was lost with the answer; on the next one the hub states its position.
    hub.become('offline');
    hub.become('online');
    await hub.until(() => hub.kept.size === 600);
  });

  it('far behind, the lower levels are left out and what matters is not', async () => {
    hub.state = 'offline';
    open([{ chars: 20_000, levels: new Set<LogLevel>(['error']) }]);
    for (let round = 0; round < 10; round++) {
      say(300, `debug of ${round}`, 'debug');
      say(5, `error of ${round}`, 'error');
      await store.drained();
    }
    hub.become('online');
    await hub.until(() => [...hub.kept.values()].filter((message) => message.startsWith('error')).length === 50);
    const debugs = [...hub.kept.values()].filter((message) => message.startsWith('debug')).length;
    expect(debugs).toBeLessThan(1_500);
  });

  it('what the disk could not take goes to the hub all the same', async () => {
    open();
    say(5, 'stored');
    await hub.until(() => hub.kept.size === 5);
    const write = store.write.bind(store);
    // An almost full disk sometimes accepts a short line.
    store.write = (entry) => void (entry.seq % 100 === 0 && write(entry));
    say(700, 'hardly stored');
    await hub.until(() => hub.kept.size === 705);
    store.write = write;
    say(3, 'stored again');
    await hub.until(() => hub.kept.size === 708);
    expect([...hub.kept.keys()]).toEqual([...hub.kept.keys()].sort((a, b) => a - b));
  });

  it('entries of any size go in messages of a bounded one', async () => {
    open();
    const fields = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`f${index}`, 'x'.repeat(16_000)]));
    for (let count = 0; count < 30; count++) logs.logger('core.test').info(`large ${count}`, fields);
    for (let count = 0; count < 300; count++)
      logs.logger('core.test').info(`broad ${count}`, { text: 'y'.repeat(16_000) });
    await hub.until(() => hub.kept.size === 330);
    expect(Math.max(...hub.bytes)).toBeLessThan(2_000_000);
  });

  it('a log that was begun anew has another name', async () => {
    open();
    const { id } = logs.reader;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await close();
    open();
    expect(logs.reader.id).toBe(id);
    await close();
    await rm(folder, { recursive: true, force: true });
    open();
    expect(logs.reader.id).not.toBe(id);
  });
});
