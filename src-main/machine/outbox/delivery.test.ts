import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { Delivery } from './delivery.ts';

/** A hub that receives `count` items one by one, and its behavior. */
class Rig {
  readonly clock = new ManualClock();
  readonly warnings: string[] = [];
  readonly changed = new Emitter();
  isConnected = true;
  count = 0;
  sent = 0;
  tries = 0;
  atOnce = 0;
  mostAtOnce = 0;
  failure: Error | undefined;
  hold: Promise<void> | undefined;
  readonly delivery: Delivery;

  constructor() {
    this.delivery = new Delivery({
      link: this,
      send: () => this.#send(),
      trouble: 'not told',
      clock: this.clock,
      logger: { ...silentLogger, warn: (message: string) => void this.warnings.push(message) },
      random: () => 0,
    });
  }

  onChange(listener: () => void): () => void {
    return this.changed.on(listener);
  }

  async #send(): Promise<boolean> {
    this.tries++;
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
    try {
      await this.hold;
      if (this.failure !== undefined) throw this.failure;
      if (this.count === 0) return false;
      this.count--;
      this.sent++;
      return this.count > 0;
    } finally {
      this.atOnce--;
    }
  }

  add(count: number, delayMs?: number): void {
    this.count += count;
    this.delivery.wake(delayMs);
  }

  connect(is: boolean): void {
    this.isConnected = is;
    this.changed.emit();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

describe('a delivery', () => {
  it('sends all there is, one at a time, and what comes meanwhile', async () => {
    const rig = new Rig();
    let open!: () => void;
    rig.hold = new Promise((resolve) => (open = resolve));
    rig.add(3);
    await rig.pass(0);
    rig.add(2);
    rig.add(1);
    open();
    await rig.pass(0);
    expect([rig.sent, rig.count, rig.mostAtOnce]).toEqual([6, 0, 1]);
  });

  it('has what comes within the delay go together', async () => {
    const rig = new Rig();
    rig.add(1, 250);
    await rig.pass(200);
    rig.add(1, 250);
    expect(rig.sent).toBe(0);
    await rig.pass(50);
    expect(rig.sent).toBe(2);
  });

  it('waits while there is no connection, and goes on at once when there is', async () => {
    const rig = new Rig();
    rig.isConnected = false;
    rig.add(2);
    await rig.pass(3_600_000);
    expect(rig.sent).toBe(0);
    rig.connect(true);
    await rig.pass(0);
    expect(rig.sent).toBe(2);
  });

  it('tries again with growing delay, and says each reason once', async () => {
    const rig = new Rig();
    rig.failure = new Error('no room');
    rig.add(1);
    const tries: number[] = [];
    let known = 0;
    for (let second = 0; second < 60; second++) {
      await rig.pass(second === 0 ? 0 : 1_000);
      if (rig.tries > known) tries.push(second);
      known = rig.tries;
    }
    expect(tries).toEqual([0, 1, 3, 7, 15, 30, 45]);
    expect(rig.warnings).toEqual(['not told: no room']);
    rig.failure = undefined;
    await rig.pass(1_000);
    expect(rig.sent).toBe(1);
    rig.failure = new Error('no room');
    rig.add(1);
    await rig.pass(0);
    expect(rig.warnings).toEqual(['not told: no room', 'not told: no room']);
  });

  it('does not wait any longer when the connection is another one', async () => {
    const rig = new Rig();
    rig.failure = new ArmatureError('hub.unreachable', 'it is gone');
    rig.add(1);
    for (let second = 0; second < 20; second++) await rig.pass(1_000);
    rig.failure = undefined;
    rig.connect(false);
    rig.connect(true);
    await rig.pass(0);
    expect([rig.sent, rig.warnings]).toEqual([1, []]);
  });

  it('a closed one begins nothing', async () => {
    const rig = new Rig();
    rig.add(1, 100);
    rig.delivery.close();
    rig.connect(true);
    rig.add(1);
    await rig.pass(10_000);
    expect([rig.sent, rig.changed.size]).toEqual([0, 0]);
  });
});
