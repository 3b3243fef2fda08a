import { describe, expect, it } from 'vitest';
import { parseDrivers } from './driver-memory.ts';

describe('the drivers that were chosen before', () => {
  it('are read back, without what is none', () => {
    expect(parseDrivers('[["core:component:motor/left", "l298n"], ["x", "other"], 3, ["y"], [1, "esc"]]')).toEqual([
      ['core:component:motor/left', 'l298n'],
    ]);
  });

  it.each([null, '', '{', '{}', '"esc"'])('are none in %j', (text) => {
    expect(parseDrivers(text)).toEqual([]);
  });
});
