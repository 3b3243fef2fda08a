import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentReader, readDocument, type DocumentModel } from './document-model.ts';

const config = `\uFEFF{
  "components": [
    { "name": "left", "api": "core:component:motor", "model": "gpio", "attributes": { "max_rpm": 100 } },
    7,
    { "name": "right", "api": "core:component:motor", "attributes": { "text": "}, {" } }
  ],
  "services": [{"name": "x"}],
  "log": [{ "pattern": "*.left" }]
}
`;

function modelOf(read: ReturnType<typeof readDocument>): DocumentModel {
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}

describe('reading successive versions of a text', () => {
  it('gives the same as reading each in full, whatever is removed and inserted', () => {
    const parts = fc.constantFrom(
      '',
      '1',
      ' ',
      '"',
      '{',
      '}',
      ',',
      '}, {',
      '} , {"name": "new"}, {',
      '"a": 1, ',
      '[',
      '\n',
      '/*',
      '//',
      'nul',
      ']',
    );
    const edits = fc.array(fc.tuple(fc.nat(config.length), fc.nat(6), parts), { maxLength: 6 });
    fc.assert(
      fc.property(edits, (steps) => {
        const read = documentReader();
        let text = config;
        expect(read(text)).toEqual(readDocument(text));
        for (const [at, length, part] of steps) {
          text = text.slice(0, at) + part + text.slice(at + length);
          expect(read(text)).toEqual(readDocument(text));
          // And back from a text that may be broken.
          expect(read(config)).toEqual(readDocument(config));
          expect(read(text)).toEqual(readDocument(text));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the value of each entry that did not change, also across a broken text', () => {
    const read = documentReader();
    const before = modelOf(read(config));
    expect(read(config.replace('100', '1 0 0')).kind).toBe('broken');
    const next = config.replace('100', '2000');
    const after = modelOf(read(next));
    expect(after.entries.map(({ value }, index) => value === before.entries[index]?.value)).toEqual([
      false,
      true,
      true,
    ]);
    expect(after.entries.map(({ from, to }) => next.slice(from, to))).toEqual(
      modelOf(readDocument(next)).entries.map(({ from, to }) => next.slice(from, to)),
    );
    expect(after.root['log']).toBe(before.root['log']);
    expect(modelOf(read(next))).toBe(after);
  });
});
