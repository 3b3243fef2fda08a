import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import type { StartCall } from '../../../rpc/peer/outbound-call.ts';
import { watchHealth } from './health-watch.ts';
import { defaultTiming } from './module-timing.ts';
import { PeerActivity } from './peer-activity.ts';

/** A module that answers or not, and what its watch reports. */
class Watched {
  readonly clock = new ManualClock();
  readonly told: string[] = [];
  readonly peer: PeerActivity;
  answers = true;

  constructor(hangMs = defaultTiming.hangMs) {
    const start: StartCall = (_path, _metadata, timeoutMs, responder) => {
      if (this.answers) responder.end({ code: StatusCode.UNIMPLEMENTED, message: '' }, {});
      else if (timeoutMs !== undefined) {
        this.clock.after(timeoutMs, () => responder.end({ code: StatusCode.DEADLINE_EXCEEDED, message: '' }, {}));
      }
      return { message: () => undefined, halfClose: () => undefined, cancel: () => undefined };
    };
    this.peer = new PeerActivity(
      { start, isClosed: false, onClose: () => () => undefined, close: () => undefined },
      this.clock,
      (plain) => plain,
    );
    watchHealth(
      this.peer,
      this.clock,
      { ...defaultTiming, hangMs },
      {
        onSilent: (reason) => this.told.push(reason),
        onHung: (reason) => this.told.push(`hung: ${reason}`),
      },
    );
  }

  /** Advances time by a second at a time, and lets promises settle. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.clock.advance(1_000);
      await Promise.resolve();
      await Promise.resolve();
    }
  }

  call(timeoutMs: number, end: () => void = () => undefined): void {
    this.peer.start('/a/B', {}, timeoutMs, { headers: () => undefined, message: () => undefined, end });
  }

  get hasHung(): boolean {
    return this.told.some((one) => one.startsWith('hung'));
  }
}

describe('a module that does not answer', () => {
  it('is told of after half a minute, with how long it has been, and that it answers again', async () => {
    const module = new Watched();
    await module.pass(20);
    module.answers = false;
    await module.pass(34);
    expect(module.told).toEqual([]);
    await module.pass(11);
    expect(module.told).toEqual(['has not answered for 25 s', 'has not answered for 35 s']);
    module.answers = true;
    await module.pass(10);
    expect(module.told.slice(2)).toEqual(['']);
  });

  it('is taken for lost only after ten minutes, once', async () => {
    const module = new Watched();
    module.answers = false;
    await module.pass(604);
    expect(module.hasHung).toBe(false);
    await module.pass(60);
    expect(module.told.filter((one) => one.startsWith('hung'))).toEqual(['hung: has not answered for 605 s']);
  });

  it('is given the time of a call that it took while it still answered', async () => {
    const module = new Watched();
    module.answers = false;
    module.call(1_800_000);
    await module.pass(1_799);
    expect(module.hasHung).toBe(false);
    await module.pass(20);
    expect(module.hasHung).toBe(true);
  });

  it('is not kept alive by those who keep trying', async () => {
    const module = new Watched();
    module.answers = false;
    await module.pass(60);
    const tryAgain = (): void => module.call(60_000, tryAgain);
    tryAgain();
    await module.pass(560);
    expect(module.hasHung).toBe(true);
  });

  it('but to the watch alone, is well', async () => {
    const module = new Watched();
    module.answers = false;
    for (let second = 0; second < 1_000; second += 3) {
      await module.pass(3);
      module.answers = true;
      module.call(1_000);
      module.answers = false;
    }
    expect(module.told).toEqual([]);
  });

  it('is found in the time that was set, be it short', async () => {
    const module = new Watched(2_000);
    module.answers = false;
    await module.pass(4);
    expect(module.told).toEqual(['hung: has not answered for 2 s']);
  });
});
