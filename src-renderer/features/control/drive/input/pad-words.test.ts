import { describe, expect, it } from 'vitest';
import { plainPadName } from './pad-words.ts';

describe('the name of a gamepad', () => {
  it.each([
    ['Xbox 360 Controller (XInput STANDARD GAMEPAD)', 'Xbox 360 Controller'],
    ['Wireless Controller (STANDARD GAMEPAD Vendor: 054c Product: 09cc)', 'Wireless Controller'],
    ['054c-09cc-Wireless Controller', 'Wireless Controller'],
    ['(Vendor: 054c)', '(Vendor: 054c)'],
  ])('of %s is %s', (id, name) => {
    expect(plainPadName(id)).toBe(name);
  });
});
