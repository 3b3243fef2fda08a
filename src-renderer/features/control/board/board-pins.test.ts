import { describe, expect, it } from 'vitest';
import { keptPins } from './board-pins.ts';

describe('the pins that a browser keeps', () => {
  it('are those of each board', () => {
    expect(keptPins('[["core:component:board/bench",["37","38"]]]')).toEqual([
      ['core:component:board/bench', ['37', '38']],
    ]);
  });

  it.each([[null], ['{'], ['{}'], ['[1]'], ['[["a", 5]]']])('are none in %j', (text) => {
    expect(keptPins(text)).toEqual([]);
  });
});
