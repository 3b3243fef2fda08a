import { describe, expect, it } from 'vitest';
import { Problem_Severity } from '../../../proto/gen/core/config/v1/config.ts';
import { checkText, hasFatalProblem } from './text-check.ts';

describe('problems that a hub finds in a configuration while the machine is offline', () => {
  it('include those of triggers, which do not make the text rejected', () => {
    const text = '{\n  "triggers": [\n    {"name": "up", "event": {"type": "part_onlin"}, "notifications": []}\n  ]\n}';
    const problems = checkText(text);
    expect(problems).toMatchObject([
      { pointer: '/triggers/0/event/type', line: 3, column: 38, code: 'trigger.not_allowed', nearest: 'part_online' },
      { pointer: '/triggers/0/notifications', line: 3, code: 'trigger.too_short' },
    ]);
    expect(problems.every(({ severity }) => severity === Problem_Severity.ERROR)).toBe(true);
    expect(hasFatalProblem(problems)).toBe(false);
  });

  it('are fatal where components are no list, and not where triggers are none', () => {
    expect(checkText('{"triggers": {}}').map(({ code }) => code)).toEqual(['trigger.wrong_type']);
    expect(hasFatalProblem(checkText('{"triggers": {}}'))).toBe(false);
    expect(hasFatalProblem(checkText('{"components": {}}'))).toBe(true);
  });

  it('include a key that is nearly triggers', () => {
    expect(checkText('{"trigers": []}')).toMatchObject([{ code: 'config.unknown_key', nearest: 'triggers' }]);
  });
});
