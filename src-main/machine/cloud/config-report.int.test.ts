import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import type { ConfigState } from '../apply/config-state.ts';
import { ConfigReporter } from './config-report.ts';

/** The parts of a machine's configuration and of its hub that reports need. */
class Rig {
  readonly told: string[] = [];
  readonly #changed = new Emitter();
  readonly #linkChanged = new Emitter();
  #waiting: (() => void)[] = [];
  isConnected = false;
  refuses = false;
  state = {} as ConfigState;
  #reporter: ConfigReporter | undefined;

  start(folder: string): void {
    const configuration = { subscribe: (listener: () => void) => this.#changed.on(listener) };
    Object.defineProperty(configuration, 'state', { get: () => this.state });
    const link = {
      onChange: (listener: () => void) => this.#linkChanged.on(listener),
      call: (_service: unknown, method: string, request: { partId: string; result?: { revision: string } }) => {
        if (!this.isConnected) throw new ArmatureError('hub.unreachable', 'no connection');
        this.told.push(`${method} ${request.partId} ${request.result?.revision}`);
        for (const resolve of this.#waiting.splice(0)) resolve();
        if (this.refuses) throw new ArmatureError('call.not_found', 'no such version');
        return Promise.resolve({});
      },
    };
    Object.defineProperty(link, 'isConnected', { get: () => this.isConnected });
    this.#reporter = new ConfigReporter({
      partId: () => 'part-1',
      configuration: configuration as never,
      link: link as never,
      ownsConfig: false,
      folder,
      clock: systemClock,
      logger: silentLogger,
    });
  }

  apply(revision: string): void {
    const outcome = { kind: 'applied', revision, message: '', at: 1, tookMs: 2 };
    this.state = { outcome, revision, appliedRevision: revision, text: '{}', origin } as never;
    this.#changed.emit();
  }

  connect(): void {
    this.isConnected = true;
    this.#linkChanged.emit();
  }

  async close(): Promise<void> {
    await this.#reporter?.close();
    this.isConnected = false;
  }

  async until(count: number): Promise<void> {
    while (this.told.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

const origin = { author: '', authorKeyId: '', note: '', summary: '', subjects: [], restoredFrom: 0, isRollback: false };

describe('how configurations fared, on its way to the hub', () => {
  let folder = '';
  let rig: Rig;

  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'armature-report-')), 'outbox');
    rig = new Rig();
    rig.start(folder);
  });
  afterEach(async () => {
    await rig.close();
    await rm(path.dirname(folder), { recursive: true });
  });

  it('waits for the hub over restarts of the machine, in order, and is told once', async () => {
    rig.apply('a');
    rig.apply('b');
    await rig.close();
    rig.start(folder);
    rig.apply('c');
    rig.connect();
    await rig.until(3);
    expect(rig.told).toEqual(['reportResult part-1 a', 'reportResult part-1 b', 'reportResult part-1 c']);
    await rig.close();
    rig.start(folder);
    rig.connect();
    rig.apply('d');
    await rig.until(4);
    expect(rig.told.slice(3)).toEqual(['reportResult part-1 d']);
  });

  it('what the hub refuses for good holds nothing up', async () => {
    rig.refuses = true;
    rig.connect();
    rig.apply('a');
    await rig.until(1);
    rig.refuses = false;
    rig.apply('b');
    await rig.until(2);
    expect(rig.told).toEqual(['reportResult part-1 a', 'reportResult part-1 b']);
  });
});
