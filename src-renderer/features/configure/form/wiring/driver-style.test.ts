import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pinStyleOf, pinStyleProblems, type MotorPins } from '../../../../../proto/config/models/motor-pins.ts';
import { driverStyles, fitsNoStyle, pinsOf, shownStyle, withEnable, withStyle } from './driver-style.ts';

const anyPins = fc.record(
  {
    a: fc.constantFrom('1', ''),
    b: fc.constantFrom('2', ''),
    dir: fc.constantFrom('3', ''),
    pwm: fc.constantFrom('4', ''),
    en_high: fc.constant('5'),
    of_the_future: fc.constant(7),
  },
  { requiredKeys: [] },
);
const anyStyle = fc.constantFrom(...driverStyles.map(({ style }) => style));

describe('the driver style that is shown', () => {
  it('is that of a complete set of pins', () => {
    fc.assert(
      fc.property(anyPins, (pins) => {
        const made = pinStyleOf(pins);
        fc.pre(made !== undefined);
        expect(shownStyle(pins, undefined)).toBe(made);
      }),
    );
  });

  it.each([
    [{}, undefined],
    [{ dir: '1' }, 'pwm-dir'],
    [{ pwm: '1' }, undefined],
    [{ a: '1' }, undefined],
    [{ a: '1', pwm: '2' }, 'in1-in2-pwm'],
    [{ a: '1', dir: '2' }, undefined],
  ])('of %j is %s', (pins, style) => {
    expect(shownStyle(pins, undefined)).toBe(style);
  });

  it('is the chosen one while its pins are typed, also if fewer pins make another complete', () => {
    expect(shownStyle({ a: '1', b: '2' }, 'in1-in2-pwm')).toBe('in1-in2-pwm');
    expect(shownStyle({ a: '1', b: '2', dir: '3' }, 'in1-in2-pwm')).toBeUndefined();
  });
});

describe('choosing a driver style', () => {
  it('leaves no pin of another style: once filled in, the combination is always valid', () => {
    fc.assert(
      fc.property(anyPins, anyStyle, (pins, style) => {
        const { pins: chosen } = withStyle(pins, {}, style);
        const filled = Object.fromEntries(pinsOf(style).map((key, index) => [key, `pin-${index}`]));
        const typed = { ...chosen, ...filled } as MotorPins;
        expect(fitsNoStyle(chosen)).toBe(false);
        expect(pinStyleOf(typed)).toBe(style);
        expect(pinStyleProblems(typed, '').filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
    );
  });

  it('restores every typed pin, however often styles are chosen', () => {
    fc.assert(
      fc.property(anyPins, fc.array(anyStyle), (pins, styles) => {
        const first = shownStyle(pins, undefined);
        fc.pre(first !== undefined);
        const end = [...styles, first].reduce((now, style) => withStyle(now.pins, now.kept, style), {
          pins,
          kept: {},
        } as ReturnType<typeof withStyle>);
        // Empty pins of another style count as absent, and may stay in `kept`.
        for (const key of pinsOf(first)) expect(end.pins[key]).toBe(pins[key]);
        expect(end.pins['of_the_future']).toBe(pins.of_the_future);
        expect(end.pins['en_high']).toBe(pins.en_high);
      }),
    );
  });
});

describe('the enable pin', () => {
  it('moves from one level to the other, is removed, and comes back', () => {
    expect(withEnable({ a: '1', en_high: '5' }, 'low', undefined)).toEqual({ a: '1', en_low: '5' });
    expect(withEnable({ a: '1', en_high: '5' }, 'none', undefined)).toEqual({ a: '1' });
    expect(withEnable({ a: '1' }, 'high', '5')).toEqual({ a: '1', en_high: '5' });
    expect(withEnable({ en_high: '5', en_low: '6' }, 'low', undefined)).toEqual({ en_low: '6' });
  });
});
