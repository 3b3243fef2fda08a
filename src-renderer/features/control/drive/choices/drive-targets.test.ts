import { describe, expect, it } from 'vitest';
import { firstChoices, firstServo, firstSingle, type DriveChoices } from './drive-choices.ts';
import { targetProblem, type TargetState } from './drive-targets.ts';

const motor = (name: string) => ({ name, isInverted: false });
const wheels: DriveChoices = { ...firstChoices, left: motor('left'), right: motor('right') };
const single: DriveChoices = {
  ...firstChoices,
  layout: 'single',
  motors: [
    { ...firstSingle, name: 'left' },
    { ...firstSingle, name: 'old' },
  ],
};
const states: Readonly<Record<string, TargetState>> = {
  left: 'ready',
  right: 'ready',
  busy: 'notReady',
  edited: 'changed',
};
const problemOf = (choices: DriveChoices) => targetProblem(choices, (name) => states[name]);

describe('what can be driven', () => {
  it('is two wheels that are ready, never one alone', () => {
    expect(problemOf(wheels)).toBeUndefined();
    expect(problemOf({ ...wheels, right: motor('') })).toEqual({ kind: 'half' });
    expect(problemOf({ ...wheels, right: motor('old') })).toEqual({ kind: 'gone', name: 'old' });
    expect(problemOf({ ...wheels, right: motor('left') })).toEqual({ kind: 'twice', name: 'left' });
  });

  it('is nothing while one of them is not ready, or has changes that are not applied', () => {
    expect(problemOf({ ...wheels, left: motor('busy') })).toEqual({ kind: 'notReady', name: 'busy' });
    expect(problemOf({ ...wheels, servos: [{ ...firstServo, name: 'edited' }] })).toEqual({
      kind: 'changed',
      name: 'edited',
    });
  });

  it('is each single motor that exists', () => {
    expect(problemOf(single)).toBeUndefined();
    expect(problemOf({ ...single, motors: single.motors.slice(1) })).toEqual({ kind: 'gone', name: 'old' });
    expect(problemOf({ ...single, motors: [] })).toEqual({ kind: 'none' });
    expect(problemOf({ ...firstChoices, servos: [{ ...firstServo, name: 'right' }] })).toBeUndefined();
  });
});
