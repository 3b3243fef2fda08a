import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choicesFrom, freeKeys, firstChoices, firstServo, firstSingle, type DriveChoices } from './drive-choices.ts';

describe('kept choices', () => {
  it('are read as they were kept', () => {
    const choices: DriveChoices = {
      ...firstChoices,
      layout: 'single',
      left: { name: 'core:component:motor/left', isInverted: true },
      motors: [{ ...firstSingle, name: 'a', source: { kind: 'axis', axis: 3, isReversed: true } }],
      servos: [{ ...firstServo, name: 'b', rateDegPerS: 90 }],
      limitPercent: 55,
      holdButton: 5,
    };
    expect(choicesFrom(JSON.stringify(choices))).toEqual(choices);
  });

  it('are as at first where they are missing or invalid, each by itself', () => {
    expect(choicesFrom(null)).toEqual(firstChoices);
    expect(choicesFrom('{')).toEqual(firstChoices);
    expect(choicesFrom('{"limitPercent":400,"deadZonePercent":0,"holdButton":-1,"layout":"tracks"}')).toEqual(
      firstChoices,
    );
    expect(choicesFrom('{"motors":[{"name":"a","source":{"kind":"keys","pair":"toString"}}, 3]}').motors).toEqual([
      { ...firstSingle, name: 'a' },
      firstSingle,
    ]);
  });

  it('never make the page fail', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { limitPercent, motors } = choicesFrom(JSON.stringify(value));
        expect(limitPercent >= 1 && limitPercent <= 100 && motors.length <= 4).toBe(true);
      }),
    );
  });
});

describe('the keys of a new row', () => {
  it('are some that move nothing yet', () => {
    expect(freeKeys(firstChoices)).toEqual({ kind: 'keys', pair: 'eq' });
    expect(freeKeys({ ...firstChoices, layout: 'single' })).toEqual({ kind: 'keys', pair: 'ws' });
    const choices: DriveChoices = { ...firstChoices, layout: 'single', motors: [firstSingle], servos: [firstServo] };
    expect(freeKeys(choices)).toEqual({ kind: 'keys', pair: 'da' });
  });
});
