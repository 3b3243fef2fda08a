import { describe, expect, it } from 'vitest';
import { degreesOf, usersOf } from './encoder-facts.ts';

const components = [
  { name: 'left', attributes: { encoder: 'wheel', ticks_per_rotation: 200 } },
  { name: 'right', attributes: { encoder: 'other', ticks_per_rotation: 100 } },
];

describe('the angle of an encoder', () => {
  const users = usersOf('wheel', components);

  it('is computed from its ticks where a motor says how many make a rotation', () => {
    expect(users).toEqual([{ name: 'left', ticksPerRotation: 200 }]);
    expect(degreesOf({ position: 50, unit: 'ticks' }, undefined, users)).toEqual({ value: 90, isComputed: true });
    expect(degreesOf({ position: 50, unit: 'ticks' }, undefined, [])).toBeUndefined();
  });

  it('is what the encoder says where it counts degrees', () => {
    expect(degreesOf({ position: 50, unit: 'ticks' }, 91, users)).toEqual({ value: 91, isComputed: false });
    expect(degreesOf({ position: 45, unit: 'degrees' }, undefined, users)).toEqual({ value: 45, isComputed: false });
    expect(degreesOf(undefined, undefined, users)).toBeUndefined();
  });
});
