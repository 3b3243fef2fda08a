import { describe, expect, it } from 'vitest';
import { componentsOf } from '../stores/applied-config.ts';
import { boardFacts } from './board-facts.ts';

const text = `{
  // kept by hand
  "components": [
    { "name": "left", "attributes": { "board": "bench", "pins": { "a": "11", "b": "9", "pwm": "12" } } },
    { "name": "wheel", "attributes": { "board": "bench", "pins": { "a": "enc-a", "b": "22" } } },
    { "name": "off", "disabled": true, "attributes": { "board": "bench", "pins": { "a": "40" } } },
    { "name": "else", "attributes": { "board": "other", "pins": { "a": "41" } } },
    { "name": "bench", "attributes": {
      "analogs": [{ "name": "pot", "pin": "0" }, {}, 4],
      "digital_interrupts": [{ "name": "enc-a", "pin": "21" }, { "name": "enc-b", "pin": "22" }, { "name": "door" }, 7]
    } },
    { "name": "bare" },
  ]
}`;

describe('what a board has', () => {
  it('is its analogs, and its pins with their use and owners, in the order of the pins', () => {
    const { analogs, pins } = boardFacts('bench', componentsOf(text));
    expect(analogs).toEqual(['pot']);
    expect(pins.map(({ pin, use, interrupt, owners }) => [pin, use, interrupt, ...owners].join(' '))).toEqual([
      '9 out  left',
      '11 out  left',
      '12 pwm  left',
      '21 irq enc-a wheel',
      '22 irq enc-b wheel',
      'door irq door',
    ]);
  });

  it.each([
    [text, 'bare'],
    [text, 'nobody'],
    ['', 'bench'],
    ['{"components": 4}', 'bench'],
    ['[]', 'bench'],
    ['{"components": [', 'bench'],
  ])('is nothing for %j and %s', (config, name) => {
    expect(boardFacts(name, componentsOf(config))).toEqual({ analogs: [], pins: [] });
  });
});
