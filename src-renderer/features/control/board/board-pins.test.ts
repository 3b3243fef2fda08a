import { describe, expect, it } from 'vitest';
import { parsePins } from './board-pins.ts';

describe('the pins stored in the browser', () => {
  it('are read for each board', () => {
    expect(parsePins('[["core:component:board/bench",["37","38"]]]')).toEqual([
      ['core:component:board/bench', ['37', '38']],
    ]);
  });

  it.each([[null], ['{'], ['{}'], ['[1]'], ['[["a", 5]]']])('are none in %j', (text) => {
    expect(parsePins(text)).toEqual([]);
  });
});
