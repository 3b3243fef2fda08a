import { describe, expect, it } from 'vitest';
import { checkFileSensor } from './schema.ts';

describe('attributes of a file sensor', () => {
  it('take a whole path', () => {
    expect(checkFileSensor({ path: '/sys/class/thermal/thermal_zone0/temp', regex: '^(\\d+)$' })).toEqual([]);
    expect(checkFileSensor({ path: '/a' })).toEqual([]);
  });

  it('refuse a relative path, at its field', () => {
    const [path, ...more] = checkFileSensor({ path: '~/temp' });
    expect(path).toMatchObject({ pointer: '/path', severity: 'error' });
    expect(path?.message).toContain('"~/temp"');
    expect(more).toEqual([]);
  });
});
