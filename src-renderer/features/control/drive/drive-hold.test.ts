import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DriveHold, UNMOVED_TIMEOUT_MS, type DriveInput } from './drive-hold.ts';

/** A hold with its clock; each step adds to what was there before. */
function bench() {
  const hold = new DriveHold();
  let input: DriveInput = {
    now: 0,
    isBlocked: false,
    held: { keys: false, pad: false },
    padHold: '1:4',
    isCentred: true,
    changes: 0,
  };
  const step = (next: Partial<Omit<DriveInput, 'held'>> & { keys?: boolean; pad?: boolean } = {}): string => {
    const { keys = input.held.keys, pad = input.held.pad, ...rest } = next;
    input = { ...input, now: input.now + 25, ...rest, held: { keys, pad } };
    hold.step(input);
    return hold.phase;
  };
  step();
  return { hold, step };
}

describe('the hold to drive', () => {
  it('drives while it is held', () => {
    const { hold, step } = bench();
    expect(step({ pad: true })).toBe('driving');
    expect(hold.by).toBe('pad');
    expect(step({ pad: false })).toBe('idle');
    expect(hold.lastEnd).toBe('released');
  });

  it('waits until the sticks are in the middle, and drives with them from then on', () => {
    const { step } = bench();
    expect(step({ pad: true, isCentred: false })).toBe('centring');
    expect(step({ isCentred: true })).toBe('driving');
    expect(step({ isCentred: false })).toBe('driving');
  });

  it('does not wait for the sticks while the keys drive', () => {
    const { step } = bench();
    expect(step({ keys: true, isCentred: false })).toBe('driving');
  });

  it('does not count while it is held since before', () => {
    const hold = new DriveHold();
    const input = { isBlocked: false, padHold: '1:4', isCentred: true, changes: 0 };
    hold.step({ ...input, now: 0, held: { keys: false, pad: true } });
    hold.step({ ...input, now: 25, held: { keys: false, pad: true } });
    expect(hold.phase).toBe('spent');
    hold.step({ ...input, now: 50, held: { keys: false, pad: false } });
    hold.step({ ...input, now: 75, held: { keys: false, pad: true } });
    expect(hold.phase).toBe('driving');
  });

  it('does not count where something forbade to drive when it was pressed', () => {
    const { step } = bench();
    expect(step({ isBlocked: true, keys: true })).toBe('spent');
    expect(step({ isBlocked: false })).toBe('spent');
    step({ keys: false });
    expect(step({ keys: true })).toBe('driving');
  });

  it.each<[string, (all: ReturnType<typeof bench>) => void]>([
    ['blocked', ({ step }) => void step({ isBlocked: true })],
    ['interrupted', ({ hold }) => hold.end('interrupted')],
    ['unplugged', ({ step }) => void step({ padHold: '2:4' })],
    ['unmoved', ({ step }) => void step({ now: UNMOVED_TIMEOUT_MS + 1_000 })],
  ])('must be released and pressed again once it is %s', (why, happen) => {
    const all = bench();
    all.step({ pad: true });
    happen(all);
    expect([all.hold.by, all.hold.lastEnd]).toEqual([undefined, why]);
    expect(all.step({ isBlocked: false })).toBe('spent');
    all.step({ pad: false });
    expect(all.step({ pad: true })).toBe('driving');
  });

  it('goes on as long as something is changed', () => {
    const { step } = bench();
    step({ pad: true });
    step({ now: UNMOVED_TIMEOUT_MS, changes: 1 });
    expect(step({ now: 2 * UNMOVED_TIMEOUT_MS - 1 })).toBe('driving');
    expect(step({ now: 2 * UNMOVED_TIMEOUT_MS })).toBe('spent');
  });

  it('belongs to the first of two; the other is spent', () => {
    const { hold, step } = bench();
    step({ keys: true });
    step({ pad: true });
    expect(hold.by).toBe('keys');
    expect(step({ keys: false })).toBe('spent');
    step({ pad: false });
    expect(step({ pad: true })).toBe('driving');
  });

  it('never drives after an end, a block, or with another gamepad, until it was released and pressed', () => {
    const event = fc.constantFrom('pad', 'keys', 'block', 'centre', 'plug', 'end', 'wait');
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const { hold, step } = bench();
        const now = { pad: false, keys: false, isBlocked: false, isCentred: true, plugs: 1 };
        // Pressed since the last end, with nothing in the way at that moment.
        const good = { pad: false, keys: false };
        for (const name of events) {
          if (name === 'pad' || name === 'keys') {
            now[name] = !now[name];
            good[name] = now[name] && !now.isBlocked;
          } else if (name === 'block') now.isBlocked = !now.isBlocked;
          else if (name === 'centre') now.isCentred = !now.isCentred;
          else if (name === 'plug') now.plugs += 1;
          else if (name === 'end') hold.end('interrupted');
          const { plugs, ...rest } = now;
          step({ ...rest, padHold: `${plugs}:4` });
          if (name === 'end' || now.isBlocked) good.pad = good.keys = false;
          if (name === 'plug') good.pad = false;
          if (hold.by !== undefined) expect([now[hold.by], good[hold.by]]).toEqual([true, true]);
        }
        expect(step({ pad: false, keys: false })).toBe('idle');
      }),
    );
  });
});
