import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../src-main/base/clock.ts';
import { ArmatureError } from '../../src-main/base/errors.ts';
import { silentLogger } from '../../src-main/base/logger.ts';
import { HubLink } from '../../src-main/machine/cloud/hub-link.ts';
import { tell } from './figures.ts';

const PARTS = 200;
const STEP_MS = 20;
const WINDOW_MS = 100;
/** A change has to arrive within this time, so no machine may stay offline for this much longer than the hub. */
const BOUND_MS = 15_000;

/** Pseudo-random numbers, the same in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

describe(`${PARTS} parts whose hub goes away at one moment`, () => {
  it.each([
    ['a second', 1_000],
    ['a minute', 60_000],
    ['an hour', 3_600_000],
  ])('for %s: all are back soon, and not at once', async (name, awayMs) => {
    const clock = new ManualClock(0);
    const tries: { readonly part: number; readonly at: number }[] = [];
    const links = Array.from({ length: PARTS }, (_, part) => {
      const link = new HubLink({
        partId: () => `part-${part}`,
        hubName: 'hub',
        credentials: undefined,
        clock,
        logger: silentLogger,
        random: random(part * 7_919 + 1),
        connect: () => {
          tries.push({ part, at: clock.now() });
          return Promise.reject(new ArmatureError('hub.unreachable', 'it is away'));
        },
        hello: () => ({ revision: '', ownsConfig: false, version: '', platform: '', host: '', startedAt: undefined }),
        serve: () => undefined,
        onAccepted: () => undefined,
        onUpdate: () => undefined,
        onRestart: () => undefined,
      });
      link.start();
      return link;
    });
    for (let at = 0; at < awayMs + BOUND_MS; at += STEP_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(STEP_MS);
    }
    for (const link of links) link.close();
    const returns = Array.from(
      { length: PARTS },
      (_, part) => tries.find((one) => one.part === part && one.at >= awayMs)?.at,
    );
    const times = returns.map((at) => (at ?? Infinity) - awayMs);
    const windows = Map.groupBy(times, (time) => Math.floor(time / WINDOW_MS));
    const most = Math.max(...[...windows.values()].map((all) => all.length));
    const triesEach = tries.filter(({ at }) => at < awayMs).length / PARTS;
    tell(
      `hub away for ${name}: the last of ${PARTS} parts is back after ${Math.max(...times)} ms, ${most} at most come within ${WINDOW_MS} ms; ${triesEach.toFixed(1)} tries each while it was away`,
    );
    expect(Math.max(...times)).toBeLessThan(BOUND_MS);
    expect(most).toBeLessThan(PARTS / 5);
    // An hour causes little traffic: one attempt in 5 to 10 s.
    expect(triesEach).toBeLessThan(10 + awayMs / 5_000);
  });
});
