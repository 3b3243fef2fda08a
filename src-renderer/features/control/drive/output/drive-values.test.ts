import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstChoices, firstServo, firstSingle, type DriveChoices } from '../choices/drive-choices.ts';
import { HeldKeys } from '../input/held-keys.ts';
import type { Pad } from '../input/pad-watch.ts';
import { driveValues, isCentred } from './drive-values.ts';

const pad = (...axes: number[]): Pad => ({ index: 0, id: 'Pad', isStandard: true, axes, buttons: [] });
const wheels: DriveChoices = {
  ...firstChoices,
  left: { name: 'left', isInverted: false },
  right: { name: 'right', isInverted: true },
};
const single: DriveChoices = {
  ...firstChoices,
  layout: 'single',
  motors: [
    { ...firstSingle, name: 'lift' },
    { ...firstSingle, name: 'arm', source: { kind: 'axis', axis: 3, isReversed: true } },
  ],
  servos: [{ ...firstServo, name: 'pan', isInverted: true }],
};

describe('the values of a drive', () => {
  it('mix two wheels within the limit, each in its direction', () => {
    const { powers } = driveValues(wheels, { by: 'pad', pad: pad(0, -1) });
    expect([...powers]).toEqual([
      ['left', 0.3],
      ['right', -0.3],
    ]);
  });

  it('come from letters or arrows, and only from what is held', () => {
    const keys = new HeldKeys();
    keys.press('ArrowUp');
    keys.press('KeyW');
    expect(driveValues(wheels, { by: 'keys', keys }).powers.get('left')).toBe(0.3);
    keys.press('KeyQ');
    const byKeys = driveValues(single, { by: 'keys', keys });
    expect([...byKeys.powers]).toEqual([
      ['lift', 0.3],
      ['arm', 0],
    ]);
    expect(byKeys.rates.get('pan')).toBe(45);
    const byPad = driveValues(single, { by: 'pad', pad: pad(0, 0, 0, -1) });
    expect([...byPad.powers]).toEqual([
      ['lift', 0],
      ['arm', 0.3],
    ]);
  });

  it('count only the sticks that are used as not in the middle', () => {
    expect(isCentred(wheels, pad(0, 0, 1, 1))).toBe(true);
    expect(isCentred(wheels, pad(0.05, -0.2))).toBe(false);
    expect(isCentred(single, pad(1, 1, 1, 0.09))).toBe(true);
    expect(isCentred(single, pad(0, 0, 0, 1))).toBe(false);
  });

  it('are never above the limit, and 0 with sticks in the middle', () => {
    const axis = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(axis, { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 100 }),
        fc.boolean(),
        (axes, limitPercent, isWheels) => {
          const choices = { ...(isWheels ? wheels : single), limitPercent };
          const powers = [...driveValues(choices, { by: 'pad', pad: pad(...axes) }).powers.values()];
          for (const power of powers) expect(Math.abs(power)).toBeLessThanOrEqual(limitPercent / 100);
          if (isCentred(choices, pad(...axes))) expect(powers.every((power) => Object.is(power, 0))).toBe(true);
        },
      ),
    );
  });
});
