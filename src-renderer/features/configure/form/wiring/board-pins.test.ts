import { expect, it } from 'vitest';
import { knownPins } from './board-pins.ts';

it('the pins of a board of the computer are its named pins, then its interrupts', () => {
  const attributes = {
    pins: [{ name: 'left', device_name: 'sim-0', line_number: 4 }, { name: 'fan', pwm_id: 1 }, { line_number: 3 }],
    digital_interrupts: [{ name: 'tick', pin: 'left' }],
  };
  expect(knownPins(attributes)).toEqual([
    { pin: 'left', use: { kind: 'named', line: '4' } },
    { pin: 'fan', use: { kind: 'named', line: '' } },
    { pin: 'left', use: { kind: 'interrupt', name: 'tick' } },
  ]);
});

it('the pins of a board are those that its attributes name, with their use', () => {
  const attributes = {
    digital_interrupts: [{ name: 'enc-a', pin: '21' }, { name: 'no-pin' }],
    simulated_motors: [{ pins: { a: '11', b: '' }, encoder_pins: { a: '21' } }, 7],
  };
  expect(knownPins(attributes)).toEqual([
    { pin: '11', use: { kind: 'simulatedMotor', number: 1, key: 'a' } },
    { pin: '21', use: { kind: 'simulatedEncoder', number: 1, channel: 'a' } },
    { pin: '21', use: { kind: 'interrupt', name: 'enc-a' } },
  ]);
});

it.each([undefined, null, 7, [], { simulated_motors: {}, digital_interrupts: 'x' }])(
  'of %j there are none',
  (value) => {
    expect(knownPins(value)).toEqual([]);
  },
);
