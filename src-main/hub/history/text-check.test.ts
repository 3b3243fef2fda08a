import { describe, expect, it } from 'vitest';
import { Problem_Severity } from '../../../proto/gen/core/config/v1/config.ts';
import { checkText, leavesNothing } from './text-check.ts';

describe('what a hub says of a configuration while its machine is away', () => {
  it('says of triggers what the machine would, and takes the text all the same', () => {
    const text = '{\n  "triggers": [\n    {"name": "up", "event": {"type": "part_onlin"}, "notifications": []}\n  ]\n}';
    const problems = checkText(text);
    expect(problems).toMatchObject([
      { pointer: '/triggers/0/event/type', line: 3, column: 38, code: 'trigger.not_allowed', nearest: 'part_online' },
      { pointer: '/triggers/0/notifications', line: 3, code: 'trigger.too_short' },
    ]);
    expect(problems.every(({ severity }) => severity === Problem_Severity.ERROR)).toBe(true);
    expect(leavesNothing(problems)).toBe(false);
  });

  it('takes a text whose triggers are no list, and no text whose components are none', () => {
    expect(checkText('{"triggers": {}}').map(({ code }) => code)).toEqual(['trigger.wrong_type']);
    expect(leavesNothing(checkText('{"triggers": {}}'))).toBe(false);
    expect(leavesNothing(checkText('{"components": {}}'))).toBe(true);
  });

  it('names a key that is nearly triggers', () => {
    expect(checkText('{"trigers": []}')).toMatchObject([{ code: 'config.unknown_key', nearest: 'triggers' }]);
  });
});
