import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { driverStyles } from '../driver-style.ts';
import { driverBoardNames, driverBoards, type DriverBoard } from './driver-boards.ts';
import { wiringOf, type ShownPins } from './driver-wires.ts';

const styles = driverStyles.map(({ style }) => style);
const shownPins: fc.Arbitrary<ShownPins> = fc.record({
  pins: fc.dictionary(
    fc.constantFrom('a', 'b', 'pwm', 'dir', 'en_high', 'en_low'),
    fc.oneof(fc.constantFrom('', '11', '13', 'GPIO12', 'left_in1'), fc.nat(40), fc.constant(null)),
  ),
  style: fc.constantFrom(undefined, ...styles),
  enable: fc.constantFrom([], ['en_high' as const], ['en_low' as const], ['en_high' as const, 'en_low' as const]),
});
const board = fc.constantFrom(...driverBoardNames);

/** `32 -> ENA`, with the pins and what else a terminal is wired to. */
function listed(name: DriverBoard, shown: Partial<ShownPins>): readonly string[] {
  const { wires, ties } = wiringOf(name, { pins: {}, style: undefined, enable: [], ...shown });
  return [
    ...wires.map(({ pin, terminals }) => `${pin} -> ${terminals.join('+')}`),
    ...ties.map(({ source, terminal }) => `${source} -> ${terminal}`),
  ];
}

describe('the wires of a driver', () => {
  it('have each chosen pin in exactly one of them', () => {
    fc.assert(
      fc.property(board, shownPins, (name, shown) => {
        const { wires } = wiringOf(name, shown);
        const chosen = Object.entries(shown.pins).filter(([, pin]) => pin !== '' && pin !== null);
        for (const [key, pin] of chosen) {
          const own = wires.filter((wire) => wire.key === key);
          expect(own.map((wire) => wire.pin)).toEqual([String(pin)]);
        }
        expect(new Set(wires.map(({ key }) => key)).size).toBe(wires.length);
        expect(wires.filter(({ pin }) => pin !== '')).toHaveLength(chosen.length);
      }),
    );
  });

  it('end at terminals that the board has, each fed once', () => {
    fc.assert(
      fc.property(board, shownPins, (name, shown) => {
        const { wires, ties } = wiringOf(name, shown);
        const fed = [...wires.flatMap(({ terminals }) => terminals), ...ties.map(({ terminal }) => terminal)];
        expect(new Set(fed).size).toBe(fed.length);
        for (const terminal of fed) expect(driverBoards[name].inputs).toContain(terminal);
      }),
    );
  });

  it('say what is wrong exactly where a pin ends nowhere or no style is chosen', () => {
    fc.assert(
      fc.property(board, shownPins, (name, shown) => {
        const { wires, faults, instead } = wiringOf(name, shown);
        const isWhole = shown.style !== undefined && wires.every(({ terminals }) => terminals.length > 0);
        expect(faults.length === 0).toBe(isWhole);
        if (instead !== undefined) expect(driverBoards[name].styles[instead]).toBeDefined();
      }),
    );
  });

  it.each(driverBoardNames)('leave no input of a %s open in a style that it has', (name) => {
    for (const style of styles) {
      if (driverBoards[name].styles[style] === undefined) continue;
      const { wires, ties, faults } = wiringOf(name, { pins: {}, style, enable: [] });
      const fed = [...wires.flatMap(({ terminals }) => terminals), ...ties.map(({ terminal }) => terminal)];
      expect(fed.toSorted()).toEqual([...driverBoards[name].inputs].toSorted());
      expect(faults).toEqual([]);
    }
  });

  it('are those of an L298N: PWM on ENA, or ENA held by its jumper', () => {
    const pins = { a: '11', b: '13', pwm: '32' };
    expect(listed('l298n', { pins, style: 'in1-in2-pwm' })).toEqual([
      '11 -> IN1',
      '13 -> IN2',
      '32 -> ENA',
      'gnd -> GND',
    ]);
    expect(listed('l298n', { pins: { a: '11', b: '13' }, style: 'in1-in2' })).toEqual([
      '11 -> IN1',
      '13 -> IN2',
      'jumper -> ENA',
      'gnd -> GND',
    ]);
    expect(listed('l298n', { pins: { a: '11', en_high: '36' }, style: 'in1-in2', enable: ['en_high'] })).toEqual([
      '11 -> IN1',
      ' -> IN2',
      '36 -> ENA',
      'gnd -> GND',
    ]);
  });

  it('hold the inputs of a TB6612FNG high that no pin feeds', () => {
    expect(listed('tb6612fng', { style: 'in1-in2' })).toEqual([
      ' -> AIN1',
      ' -> AIN2',
      '3v3 -> PWMA',
      '3v3 -> STBY',
      '3v3 -> VCC',
      'gnd -> GND',
    ]);
    expect(listed('tb6612fng', { style: 'in1-in2-pwm', enable: ['en_high'] })).toEqual([
      ' -> AIN1',
      ' -> AIN2',
      ' -> PWMA',
      ' -> STBY',
      '3v3 -> VCC',
      'gnd -> GND',
    ]);
  });

  it('join both enable inputs of a BTS7960 to one pin', () => {
    expect(listed('bts7960', { pins: { a: '32', b: '33', en_high: '31' }, style: 'in1-in2' })).toEqual([
      '32 -> RPWM',
      '33 -> LPWM',
      '31 -> R_EN+L_EN',
      '5v -> VCC',
      'gnd -> GND',
    ]);
  });

  it('end nowhere where the driver is wrong for the style, and name the right one', () => {
    const { wires, faults, instead } = wiringOf('drv8871', {
      pins: { a: '11', b: '13', pwm: '32' },
      style: 'in1-in2-pwm',
      enable: [],
    });
    expect(wires.map(({ terminals }) => terminals)).toEqual([[], [], []]);
    expect(faults).toEqual([{ kind: 'style' }]);
    expect(instead).toBe('in1-in2');
    expect(wiringOf('esc', { pins: {}, style: undefined, enable: [] })).toMatchObject({
      faults: [{ kind: 'style' }],
      instead: undefined,
    });
  });

  it('say which pin has no terminal though the style fits', () => {
    const shown = { pins: { a: '11', b: '13' }, style: 'in1-in2' as const, enable: ['en_low' as const] };
    expect(wiringOf('drv8871', shown).faults).toEqual([{ kind: 'no-terminal', key: 'en_low' }]);
    expect(wiringOf('drv8871', shown).instead).toBeUndefined();
  });
});
