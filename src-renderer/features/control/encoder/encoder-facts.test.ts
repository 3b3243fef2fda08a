import { describe, expect, it } from 'vitest';
import { PositionType } from '../../../../proto/gen/core/component/encoder/v1/encoder.ts';
import { degreesOf, usersOf } from './encoder-facts.ts';

const ticks = { value: 50, positionType: PositionType.TICKS_COUNT };

const components = [
  { name: 'left', attributes: { encoder: 'wheel', ticks_per_rotation: 200 } },
  { name: 'right', attributes: { encoder: 'other', ticks_per_rotation: 100 } },
];

describe('the angle of an encoder', () => {
  const users = usersOf('wheel', components);

  it('is computed from its ticks where a motor is configured with the ticks per rotation', () => {
    expect(users).toEqual([{ name: 'left', ticksPerRotation: 200 }]);
    expect(degreesOf(ticks, undefined, users)).toEqual({ value: 90, isComputed: true });
    expect(degreesOf(ticks, undefined, [])).toBeUndefined();
  });

  it('is what the encoder reports where it reports degrees', () => {
    expect(degreesOf(ticks, 91, users)).toEqual({ value: 91, isComputed: false });
    expect(degreesOf({ value: 45, positionType: PositionType.ANGLE_DEGREES }, undefined, users)).toEqual({
      value: 45,
      isComputed: false,
    });
    expect(degreesOf(undefined, undefined, users)).toBeUndefined();
  });
});
