import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparableTexts } from './comparable-texts.ts';
import { formatJson } from './format-json.ts';
import { layoutChanges } from './layout-changes.ts';

const two = { indent: '  ', eol: '\n' };
const tokens = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const odd = fc
  .tuple(
    fc.jsonValue().map((value) => JSON.stringify(value, (_, part: unknown) => (part === 0 ? 1000 : part))),
    fc.array(fc.constantFrom('', ' ', '\n', '\r\n\t', '   ')),
  )
  // Numbers in a spelling of their own, and any white space between the tokens.
  .map(([text, spaces]) =>
    [...text.matchAll(tokens)]
      .map(([token], index) => (token === '1000' ? '1e3' : token) + (spaces[index % Math.max(spaces.length, 1)] ?? ''))
      .join(''),
  );
const bare = (text: string): string => [...text.matchAll(tokens)].map(([token]) => token).join(' ');

describe('a formatted text', () => {
  it('has every key and item on a line of its own, spelled as before', () => {
    const text = '{"b":1e3,"a":[0.10,{"x":[],"y":{}}],  "t": "a, {b: [\\"" ,"c":[\n]}\r\n';
    expect(formatJson(text, two)).toBe(
      '{\n  "b": 1e3,\n  "a": [\n    0.10,\n    {\n      "x": [],\n      "y": {}\n    }\n  ],\n  "t": "a, {b: [\\"",\n  "c": []\n}\n',
    );
    expect(formatJson('\uFEFF[1]', { indent: '\t', eol: '\r\n' })).toBe('\uFEFF[\r\n\t1\r\n]');
    expect([formatJson('', two), formatJson(' 7 ', two)]).toEqual(['', '7']);
  });

  it('differs only in white space, and is formatted already', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const formatted = formatJson(text, two);
        expect(bare(formatted)).toBe(bare(text));
        expect(formatJson(formatted, two)).toBe(formatted);
        expect(formatted.trimEnd()).toBe(
          JSON.stringify(JSON.parse(text), null, 2).replaceAll(/\b1000\b(?=,?$)/gm, '1e3'),
        );
      }),
    );
  });
});

describe('the changes of a layout', () => {
  it('make one text into the other, and touch nothing but white space', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const formatted = formatJson(text, two);
        const changes = layoutChanges(text, formatted) ?? [];
        let written = text;
        for (const { from, to, insert } of changes.toReversed()) {
          expect(text.slice(from, to) + insert).toMatch(/^\s*$/);
          written = written.slice(0, from) + insert + written.slice(to);
        }
        expect(written).toBe(formatted);
      }),
    );
  });

  it('are none where a word differs', () => {
    expect(layoutChanges('{"a": 1}', '{"a":  2}')).toBeUndefined();
    expect(layoutChanges('[1]', '[1]')).toEqual([]);
  });
});

describe('two texts to compare', () => {
  const lines = '{\n  "a": [1, 2],\n  "b": 0.10\n}\n';

  it('stay as they are if both have lines', () => {
    const other = lines.replace('0.10', `"${'long '.repeat(100)}"`);
    expect(comparableTexts(lines, other)).toEqual({ from: lines, to: other, isFormatted: false });
    expect(comparableTexts('', '{}')).toEqual({ from: '', to: '{}', isFormatted: false });
  });

  it('are formatted if one of them is one line, or has very long lines', () => {
    expect(comparableTexts('{"a":[1,2],"b":0.10}', lines)).toEqual({
      from: '{\n  "a": [\n    1,\n    2\n  ],\n  "b": 0.10\n}',
      to: '{\n  "a": [\n    1,\n    2\n  ],\n  "b": 0.10\n}',
      isFormatted: true,
    });
    const long = `{\n "a": [${'{ "x": 1.50 }, '.repeat(30)}1]\n}`;
    expect(comparableTexts(lines, long).isFormatted).toBe(true);
  });

  it('are not formatted if one of them is not valid', () => {
    expect(comparableTexts('{"a":1,}', lines)).toEqual({ from: '{"a":1,}', to: lines, isFormatted: false });
  });
});
