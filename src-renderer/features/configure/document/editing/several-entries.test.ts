import { describe, expect, it } from 'vitest';
import { draftOf } from '../config-draft.ts';
import type { DocumentEntry } from '../document-model.ts';
import { useDraftEditing, type DraftEditing } from './draft-editing.ts';
import { useEntryEdits } from './entry-edits.ts';

const text = `{
  "components": [
    { "name": "a", "n": 1e3 },
    {
      "name": "b",
      "n": 0.10
    },
    { "name": "c" }
  ],
  "modules": [{ "name": "m", "env": {} }]
}
`;

function start(): DraftEditing & ReturnType<typeof useEntryEdits> & { of(...names: string[]): DocumentEntry[] } {
  const editing = useDraftEditing(
    (key) => key,
    () => undefined,
  );
  const document = { text, revision: '1', source: 'file', path: '', isReadOnly: false, result: undefined } as const;
  editing.replace(draftOf(document), '');
  const of = (...names: string[]): DocumentEntry[] =>
    editing.settle().model.entries.filter(({ name }) => names.includes(name));
  return { ...editing, ...useEntryEdits(editing, (key) => key), of };
}

const namesIn = (config: ReturnType<typeof start>): string =>
  config
    .settle()
    .model.entries.map(({ name }) => name)
    .join('');

describe('several entries', () => {
  it('are copied as a configuration of their own, as they are written', () => {
    expect(start().copied(start().of('a', 'b', 'm'))).toBe(`{
  "components": [
    { "name": "a", "n": 1e3 },
    { "name": "b", "n": 0.10 }
  ],
  "modules": [
    { "name": "m", "env": {} }
  ]
}
`);
  });

  it('are not copied from a text that does not parse', () => {
    const config = start();
    const entries = config.of('a');
    config.type(text.replace('1e3', ''));
    expect(config.copied(entries)).toBe('');
  });

  it('are added in their own spelling and the layout of the text, as one undo step', () => {
    const config = start();
    config.addWritten(
      [
        { section: 'components', written: '{\n"name":"d","n":1.50}' },
        { section: 'remotes', written: '{"name":"far"}' },
      ],
      'paste',
    );
    expect(config.text.value).toContain('{ "name": "c" },\n    { "name": "d", "n": 1.50 }\n  ],');
    expect(config.text.value).toContain('"remotes": [\n    {\n      "name": "far"\n    }\n  ]');
    config.undo();
    expect(config.text.value).toBe(text);
  });

  it('are changed and removed as one undo step each', () => {
    const config = start();
    config.setEach(
      config.of('a', 'm').map((entry) => ({ entry, path: ['disabled'], value: true })),
      'disable',
    );
    expect(config.text.value).toContain('{ "name": "a", "n": 1e3, "disabled": true }');
    expect(config.text.value).toContain('{ "name": "m", "env": {}, "disabled": true }');
    config.removeEntries(config.of('m', 'a', 'b'));
    expect(namesIn(config)).toBe('c');
    config.undo();
    config.undo();
    expect(config.text.value).toBe(text);
  });
});

describe('moving an entry', () => {
  it('is an undo step of its own, unless a held key goes on moving it', () => {
    const config = start();
    const move = (index: number, group: string): void =>
      config.moveEntry(config.of('a')[0] as DocumentEntry, index, group);
    move(1, 'one');
    move(2, 'one');
    expect(namesIn(config)).toBe('bcam');
    expect(config.text.value).toContain('{ "name": "a", "n": 1e3 }\n  ],');
    move(1, 'two');
    expect(namesIn(config)).toBe('bacm');
    config.undo();
    expect(namesIn(config)).toBe('bcam');
    config.undo();
    expect(config.text.value).toBe(text);
    expect(config.hasChanges.value).toBe(false);
  });

  it('by a held key there and back again leaves nothing', () => {
    const config = start();
    config.moveEntry(config.of('a')[0] as DocumentEntry, 1, 'one');
    config.moveEntry(config.of('a')[0] as DocumentEntry, 0, 'one');
    expect(config.text.value).toBe(text);
    expect(config.canUndo.value).toBe(false);
  });
});
