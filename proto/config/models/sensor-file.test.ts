import { describe, expect, it } from 'vitest';
import { checkFileSensor } from './sensor-file.ts';

describe('attributes of a file sensor', () => {
  it('take a whole path and a regular expression', () => {
    expect(checkFileSensor({ path: '/sys/class/thermal/thermal_zone0/temp', regex: '^(\\d+)$' })).toEqual([]);
    expect(checkFileSensor({ path: '/a' })).toEqual([]);
  });

  it('refuse a relative path and what is no regular expression, at their fields', () => {
    const [path, regex, ...more] = checkFileSensor({ path: '~/temp', regex: '(' });
    expect(path).toMatchObject({ pointer: '/path', severity: 'error' });
    expect(path?.message).toContain('"~/temp"');
    expect(regex).toMatchObject({ pointer: '/regex', severity: 'error' });
    expect(more).toEqual([]);
  });
});
