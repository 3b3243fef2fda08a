import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PINS, parsePins, withMovedPin, withoutPin, withPin, type Pin } from './pin-list.ts';

const left = 'core:component:motor/left';
const speed: Pin = { resource: left, value: 'speed' };
const power: Pin = { resource: left, value: 'power' };
const volts: Pin = { resource: 'core:component:power_sensor/supply', value: 'volts' };

const anyPin: fc.Arbitrary<Pin> = fc.record({
  resource: fc.constantFrom('a', 'b', 'c'),
  value: fc.constantFrom('speed', 'power', 'reading/x', 'reading/y'),
});

describe('the list of pins', () => {
  it('gets each pin once, at its end, and gives it back', () => {
    expect(withPin(withPin([speed], power), speed)).toEqual([speed, power]);
    expect(withoutPin([speed, power], { ...speed })).toEqual([power]);
  });

  it('is reordered in steps, and stays as it is at its ends', () => {
    expect(withMovedPin([speed, power, volts], volts, -1)).toEqual([speed, volts, power]);
    expect(withMovedPin([speed, power, volts], speed, 1)).toEqual([power, speed, volts]);
    expect(withMovedPin([speed, power], speed, -1)).toEqual([speed, power]);
    expect(withMovedPin([speed], power, 1)).toEqual([speed]);
  });

  it('never has more than eight, nor one twice, and outlives being kept', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('add', 'remove', 'move'), anyPin, fc.integer({ min: -9, max: 9 })));
    fc.assert(
      fc.property(steps, (all) => {
        let pins: readonly Pin[] = [];
        for (const [what, pin, by] of all) {
          const before = pins;
          if (what === 'add') pins = withPin(pins, pin);
          else if (what === 'remove') pins = withoutPin(pins, pin);
          else {
            pins = withMovedPin(pins, pin, by);
            expect([...pins].sort(byText)).toEqual([...before].sort(byText));
          }
        }
        expect(pins.length).toBeLessThanOrEqual(MAX_PINS);
        expect(new Set(pins.map(textOf)).size).toBe(pins.length);
        expect(parsePins(JSON.stringify(pins))).toEqual(pins);
      }),
    );
  });

  it('is read from whatever the browser holds', () => {
    expect(parsePins(null)).toEqual([]);
    expect(parsePins('{')).toEqual([]);
    expect(parsePins('7')).toEqual([]);
    expect(parsePins(JSON.stringify([null, 7, { resource: left }, { ...speed, more: 1 }, speed]))).toEqual([speed]);
    fc.assert(fc.property(fc.json(), (text) => parsePins(text).length <= MAX_PINS));
  });
});

const textOf = ({ resource, value }: Pin): string => `${resource} ${value}`;
const byText = (one: Pin, other: Pin): number => textOf(one).localeCompare(textOf(other));
