import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { styleOf } from './json-style.ts';
import { oddJson } from './json.fixture.ts';
import { laidOut } from './laid-out.ts';

const spaced = styleOf('{\n  "a": [1, 2]\n}', '');
const dense = styleOf('{"a":[1,2]}', '');

/** The text without the white space between its tokens. */
function tokensOf(text: string): readonly string[] {
  return text.match(/"(?:[^"\\]|\\[^])*"|[^\s"[\]{}:,]+|[[\]{}:,]/g) ?? [];
}

describe('the layout of a written value', () => {
  it('follows the style, and keeps the spelling', () => {
    const written =
      '{ "b" :1e3,"a:":[ 0.10,\n {} ], "long": "0123456789012345678901234567890123456789012345678901234567890" }';
    expect(laidOut(written, dense, '', 'by-size').startsWith('{"b":1e3,"a:":[0.10,{}],"long"')).toBe(true);
    expect(laidOut(written, spaced, '  ', 'by-size')).toBe(
      '{\n    "b": 1e3,\n    "a:": [0.10, {}],\n    "long": "0123456789012345678901234567890123456789012345678901234567890"\n  }',
    );
    expect(laidOut('{"b":1e3}', spaced, '', 'one-line')).toBe('{ "b": 1e3 }');
    expect(laidOut(' [ ] ', spaced, '', 'lines')).toBe('[]');
    expect(laidOut(' ', spaced, '', 'lines')).toBe('');
  });

  it('changes no token of any value', () => {
    fc.assert(
      fc.property(oddJson, fc.constantFrom(spaced, dense), ({ text, value }, style) => {
        const out = laidOut(text, style, '  ', 'by-size');
        expect(tokensOf(out)).toEqual(tokensOf(text));
        expect(JSON.parse(out)).toEqual(value);
        expect(laidOut(out, style, '  ', 'by-size')).toBe(out);
      }),
    );
  });
});
