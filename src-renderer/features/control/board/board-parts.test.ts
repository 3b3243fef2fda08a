import { describe, expect, it } from 'vitest';
import { boardParts } from './board-parts.ts';

const text = JSON.stringify({
  components: [
    { name: 'left', attributes: { analogs: [{ name: 'not a board' }] } },
    { name: 'bench', attributes: { analogs: [{ name: 'pot', pin: '0' }, {}], digital_interrupts: [{ name: 'a' }, 7] } },
    { name: 'bare' },
  ],
});

describe('the parts of a board', () => {
  it('are those of its own entry, wrong ones left out', () => {
    expect(boardParts(text, 'bench')).toEqual({ analogs: ['pot'], interrupts: ['a'] });
  });

  it.each([
    [text, 'bare'],
    [text, 'nobody'],
    ['', 'bench'],
    ['{"components": 4}', 'bench'],
    ['[]', 'bench'],
  ])('are none for %j and %s', (config, name) => {
    expect(boardParts(config, name)).toEqual({ analogs: [], interrupts: [] });
  });
});
