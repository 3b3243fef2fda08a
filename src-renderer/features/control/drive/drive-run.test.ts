import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HoldToRun } from '../motor/hold/hold-to-run.ts';
import { firstChoices, type DriveChoices } from './choices/drive-choices.ts';
import { DriveRun } from './drive-run.ts';
import { readPad } from './input/pad.fixture.ts';
import type { ReadPad } from './input/pad-watch.ts';
import { PacedMotor } from './output/paced-motor.ts';

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Two wheels, driven on a clock of the test; the machine answers when the test lets it. */
function bench() {
  let choices: DriveChoices = {
    ...firstChoices,
    left: { name: 'left', isInverted: false },
    right: { name: 'right', isInverted: false },
  };
  const run = new DriveRun(() => choices);
  const sent: Record<string, (number | 'stop')[]> = { left: [], right: [] };
  const waiting: (() => void)[] = [];
  for (const [name, list] of Object.entries(sent)) {
    const hold = new HoldToRun(
      {
        setPower: (power) => {
          list.push(power);
          return new Promise((resolve) => waiting.push(resolve));
        },
        stop: () => Promise.resolve(void list.push('stop')),
      },
      { onPower: () => undefined, onError: () => undefined, onStopFailed: () => undefined },
    );
    const paced = new PacedMotor({
      press: (power) => hold.press('drive', power),
      change: (power) => hold.change(power),
      release: () => hold.release('drive'),
    });
    run.add(name, { set: (power, now) => paced.set(power, now), stop: () => paced.stop() });
  }
  let now = 0;
  let pad: ReadPad | null = readPad();
  let isBlocked = false;
  const look = (ms = 25): void => {
    now += ms;
    run.readPads([pad]);
    run.step(now, isBlocked);
  };
  look();
  return {
    run,
    sent,
    look,
    show: (next: ReadPad | null): void => {
      pad = next;
      look();
    },
    block: (blocks: boolean): void => {
      isBlocked = blocks;
      look();
    },
    change: (part: Partial<DriveChoices>): void => {
      choices = { ...choices, ...part };
      run.end('changed');
    },
    answer: async (): Promise<void> => {
      for (const resolve of waiting.splice(0)) resolve();
      await settled();
    },
  };
}

describe('a drive', () => {
  it('stops at once when the hold is released, though the start is not answered, and again after that answer', async () => {
    const { sent, show, answer } = bench();
    show(readPad({}, [4]));
    show(readPad({ axes: [0, -1, 0, 0] }, [4]));
    expect(sent['left']).toEqual([0.3]);
    show(readPad({ axes: [0, -1, 0, 0] }));
    expect(sent['left']).toEqual([0.3, 'stop']);
    await answer();
    expect(sent['left']).toEqual([0.3, 'stop', 'stop']);
  });

  it('lets sticks move nothing while the keys drive, and keys nothing while a gamepad drives', () => {
    const { run, sent, show, look } = bench();
    run.pressKey('Space');
    show(readPad({ axes: [0, -1, 0, 0] }));
    expect([run.hold.phase, sent['left']]).toEqual(['driving', []]);
    run.releaseKey('Space');
    show(readPad());
    show(readPad({}, [4]));
    run.pressKey('KeyW');
    look();
    expect([run.hold.by, sent['left']]).toEqual(['pad', []]);
  });

  it('does not count a key that is down when it begins', async () => {
    const { run, sent, look, answer } = bench();
    run.pressKey('KeyW');
    run.pressKey('Space');
    look();
    look();
    expect(sent['left']).toEqual([]);
    run.releaseKey('KeyW');
    run.pressKey('KeyW');
    look();
    expect(sent['left']).toEqual([0.3]);
    await answer();
  });

  const stick = fc.double({ min: -1, max: 1, noNaN: true });
  const event = fc.oneof(
    fc.record({ kind: fc.constant('pad' as const), throttle: stick, steering: stick, isHeld: fc.boolean() }),
    fc.record({
      kind: fc.constantFrom('down' as const, 'up' as const),
      code: fc.constantFrom('Space', 'KeyW', 'KeyA'),
    }),
    fc.record({ kind: fc.constant('limit' as const), percent: fc.integer({ min: 1, max: 100 }) }),
    fc.record({ kind: fc.constantFrom('centre', 'unplug', 'block', 'free', 'end', 'answer', 'wait', 'forget') }),
  );

  it('ends every sequence with a stop, is never above the limit, and never moves without a hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
        const { run, sent, show, block, look, change, answer } = bench();
        let limit = 0.3;
        const down = new Set<string>();
        let isPadHeld = false;
        const counted = (): number => Object.values(sent).flat().length;
        for (const each of events) {
          const before = Object.fromEntries(Object.entries(sent).map(([name, list]) => [name, list.length]));
          if (each.kind === 'pad') {
            isPadHeld = each.isHeld;
            show(readPad({ axes: [each.steering, each.throttle] }, isPadHeld ? [4] : []));
          } else if (each.kind === 'centre') show(readPad({}, isPadHeld ? [4] : []));
          else if (each.kind === 'unplug') {
            isPadHeld = false;
            show(null);
          } else if (each.kind === 'limit') {
            change({ limitPercent: each.percent });
            limit = each.percent / 100;
          } else if (each.kind === 'down') {
            down.add(each.code);
            run.pressKey(each.code);
          } else if (each.kind === 'up') {
            down.delete(each.code);
            run.releaseKey(each.code);
          } else if (each.kind === 'forget') {
            down.clear();
            run.releaseKeys();
          } else if (each.kind === 'answer') await answer();
          else if (each.kind === 'block' || each.kind === 'free') block(each.kind === 'block');
          else if (each.kind === 'end') run.end('interrupted');
          look();
          const now = Object.entries(sent).flatMap(([name, list]) => list.slice(before[name] ?? 0));
          for (const power of now) if (power !== 'stop') expect(Math.abs(power)).toBeLessThanOrEqual(limit + 1e-9);
          if (!isPadHeld && !down.has('Space')) expect(run.hold.phase).toBe('idle');
          if (each.kind === 'end' || each.kind === 'block') expect(run.hold.by).toBeUndefined();
        }
        run.releaseKeys();
        show(null);
        await answer();
        await answer();
        for (const list of Object.values(sent)) expect(list.at(-1) ?? 'stop').toBe('stop');
        const total = counted();
        look(1_000);
        expect(counted()).toBe(total);
      }),
      { numRuns: 80 },
    );
  });
});
