import { describe, expect, it } from 'vitest';
import { maxRpmOf } from './max-rpm.ts';
import { commandedNow, signedRpmOf, type MotorAction, type MotorCommand } from './motor-command.ts';

const running = (signedRpm: number, phase: MotorCommand['phase'] = 'accepted'): MotorCommand => ({
  action: { kind: 'speed', rpm: signedRpm },
  phase,
  sentAt: 0,
  signedRpm,
});

describe('the speed that is commanded', () => {
  it.each<[MotorAction, number]>([
    [{ kind: 'for', revolutions: 2, rpm: 90 }, 90],
    [{ kind: 'for', revolutions: -2, rpm: 90 }, -90],
    [{ kind: 'for', revolutions: 2, rpm: -90 }, -90],
    [{ kind: 'for', revolutions: -2, rpm: -90 }, 90],
    [{ kind: 'to', revolutions: 2, rpm: 90 }, -90],
    [{ kind: 'to', revolutions: 9, rpm: -90 }, 90],
    [{ kind: 'speed', rpm: -30 }, -30],
    [{ kind: 'zero' }, 0],
  ])('has its direction in its sign: %j at 5 rev is %d', (action, expected) => {
    expect(signedRpmOf(action, 5)).toBe(expected);
  });

  it('is that of the active command, and 0 when that is over', () => {
    expect(commandedNow(running(90), 0.4, undefined, true)).toEqual({ rpm: 90, isFromOther: false });
    expect(commandedNow(running(90, 'done'), 0, undefined, true)).toEqual({ rpm: 0, isFromOther: false });
  });

  it('is a share of the maximum speed where a power is commanded, and unknown without a maximum', () => {
    expect(commandedNow(undefined, 0.5, 120, true)).toEqual({ rpm: 60, isFromOther: false });
    expect(commandedNow(undefined, -0.5, undefined, true)).toEqual({ rpm: undefined, isFromOther: false });
  });

  it('comes from another client where this page sent no command', () => {
    expect(commandedNow(undefined, 0.5, 120, false).isFromOther).toBe(true);
    expect(commandedNow(running(90, 'ended'), 0.5, 120, false).isFromOther).toBe(true);
    expect(commandedNow(undefined, 0, 120, false).isFromOther).toBe(false);
  });
});

describe('the maximum speed of a motor', () => {
  it('is that of its configuration, unless the motor measures its speed', () => {
    expect(maxRpmOf('core:builtin:gpio', { max_rpm: 120 })).toBe(120);
    expect(maxRpmOf('core:builtin:gpio', { max_rpm: 120, encoder: 'wheel' })).toBeUndefined();
    expect(maxRpmOf('core:builtin:gpio', {})).toBeUndefined();
    expect(maxRpmOf('core:builtin:fake', {})).toBe(100);
  });
});
