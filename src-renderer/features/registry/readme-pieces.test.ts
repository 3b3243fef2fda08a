import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SHOWN_LENGTH, readmePieces } from './readme-pieces.ts';

const prose = '# Motors\n\nThey turn.\n\n- one\n\n  still one\n- two\n\n';

describe('a text that is drawn in pieces', () => {
  it('is one piece if it is short', () => {
    expect(readmePieces(prose)).toEqual({ pieces: [prose], isShortened: false });
    expect(readmePieces('')).toEqual({ pieces: [], isShortened: false });
  });

  it('is cut where a block begins, without loss', () => {
    const { pieces, isShortened } = readmePieces(prose.repeat(500));
    expect(isShortened).toBe(false);
    expect(pieces.join('')).toBe(prose.repeat(500));
    expect(new Set(pieces.map((piece) => piece.split('\n')[0]))).toEqual(new Set(['# Motors']));
  });

  it('keeps each piece of a block of code a block of code', () => {
    const { pieces } = readmePieces(`\`\`\`ts\n${'let a = 1;\n\nlet b = 2;\n'.repeat(400)}\`\`\`\n\nEnd.\n`);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces.slice(0, -1)) expect(piece).toMatch(/^```ts\n[^]*\n```\n$/);
    expect(pieces.at(-1)).toMatch(/^```ts\n[^]*\n```\n\nEnd\.\n$/);
  });

  it('has limited pieces and a limited length', () => {
    const part = fc.constantFrom(
      '[',
      '*a_',
      '- a\n',
      '```\n',
      '~~~\n',
      '\n\n',
      'word ',
      '> ',
      '| a ',
      'x'.repeat(5_000),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 400 }), fc.integer({ min: 1, max: 60 }), (parts, times) => {
        const text = parts.join('').repeat(times);
        const { pieces, isShortened } = readmePieces(text);
        expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThan(2_048 + 300);
        expect(isShortened).toBe(text.length > MAX_SHOWN_LENGTH);
      }),
      { numRuns: 50 },
    );
  });
});
