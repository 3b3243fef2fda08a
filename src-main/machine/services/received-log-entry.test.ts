import { describe, expect, it } from 'vitest';
import { readLogEntry } from './received-log-entry.ts';

const entry = {
  host: '',
  level: 'Warning',
  time: new Date(5),
  loggerName: 'driver',
  message: 'slow',
  caller: { Defined: true, File: 'driver.py', Line: 12 },
  stack: '',
  fields: [] as Record<string, unknown>[],
};

describe('an entry of RobotService/Log', () => {
  it('is read with its level in any case, its caller and its time', () => {
    expect(readLogEntry(entry)).toMatchObject({ level: 'warn', logger: 'driver', caller: 'driver.py:12', time: 5 });
  });

  it('reads fields as zap describes them, and plain ones', () => {
    const fields = [{ Key: 'pin', Type: 15, Integer: 7, String: '' }, { Key: 'why', String: 'noise' }, { plain: true }];
    expect(readLogEntry({ ...entry, fields }).fields).toEqual({ pin: 7, why: 'noise', plain: true });
  });

  it('names a level that is none', () => {
    expect(() => readLogEntry({ ...entry, level: 'loud' })).toThrow(
      '"loud" is unknown; use debug, info, warn or error',
    );
  });
});
