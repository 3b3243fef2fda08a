import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameValue } from '../../../../../proto/config/text/text-entries.ts';
import { insertItem, RawJson, removeValue, setValue } from './document-edits.ts';
import { locate } from './json-scan.ts';
import { oddJson, pathsOf } from './json.fixture.ts';

/** The edit made on the parsed value: what the edited text must parse to. */
function setIn(value: unknown, [step, ...rest]: readonly (string | number)[], next: unknown): unknown {
  if (step === undefined) return next;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === step ? setIn(item, rest, next) : item));
  }
  const object = value as Record<string, unknown>;
  return Object.fromEntries([
    ...Object.entries(object).map(([key, part]) => [key, key === step ? setIn(part, rest, next) : part] as const),
    ...(Object.hasOwn(object, step) ? [] : [[step, setIn({}, rest, next)] as const]),
  ]);
}

function removeIn(value: unknown, [step, ...rest]: readonly (string | number)[]): unknown {
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.filter((_, index) => index !== step);
    return value.map((item: unknown, index) => (index === step ? removeIn(item, rest) : item));
  }
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([key, part]: [string, unknown]) => {
      if (key !== step) return [[key, part] as const];
      return rest.length === 0 ? [] : [[key, removeIn(part, rest)] as const];
    }),
  );
}

const placed = oddJson.chain(({ text, value }) =>
  fc.constantFrom(...pathsOf(value)).map((path) => ({ text, value, path })),
);

describe('an edit of a text', () => {
  it('parses to the edited value, and leaves everything outside of it unchanged byte for byte', () => {
    fc.assert(
      fc.property(placed, oddJson, ({ text, value, path }, { value: next }) => {
        const place = locate(text, path);
        const result = setValue(text, path, next);
        expect(isSameValue(JSON.parse(result), setIn(value, path, next))).toBe(true);
        expect(result.startsWith(text.slice(0, place?.start))).toBe(true);
        expect(result.endsWith(text.slice(place?.end))).toBe(true);
      }),
    );
  });

  it('that sets the value already there changes no byte', () => {
    fc.assert(
      fc.property(oddJson, ({ text, value }) => {
        for (const path of pathsOf(value)) {
          const place = locate(text, path);
          expect(setValue(text, path, JSON.parse(text.slice(place?.start, place?.end)))).toBe(text);
        }
      }),
    );
  });

  it('puts a new key last and touches nothing else', () => {
    fc.assert(
      fc.property(placed, oddJson, ({ text, value, path }, { value: next }) => {
        const place = locate(text, path);
        fc.pre(text[place?.start ?? 0] === '{' && locate(text, [...path, 'new']) === undefined);
        const result = setValue(text, [...path, 'new'], next);
        expect(isSameValue(JSON.parse(result), setIn(value, [...path, 'new'], next))).toBe(true);
        const after = locate(result, path);
        expect(Object.keys(JSON.parse(result.slice(after?.start, after?.end)) as object).includes('new')).toBe(true);
        expect(removeValue(result, [...path, 'new']).replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        expect(result.startsWith(text.slice(0, place?.start))).toBe(true);
        expect(result.endsWith(text.slice(place?.end))).toBe(true);
      }),
    );
  });

  it('removes one value with its comma and touches no other', () => {
    fc.assert(
      fc.property(placed, ({ text, value, path }) => {
        fc.pre(path.length > 0);
        const holder = locate(text, path.slice(0, -1));
        const result = removeValue(text, path);
        expect(isSameValue(JSON.parse(result), removeIn(value, path))).toBe(true);
        expect(result.startsWith(text.slice(0, holder?.start))).toBe(true);
        expect(result.endsWith(text.slice(holder?.end))).toBe(true);
      }),
    );
  });

  it('puts an item between its neighbours', () => {
    fc.assert(
      fc.property(placed, oddJson, fc.nat(5), ({ text, value, path }, { value: item, text: raw }, index) => {
        const place = locate(text, path);
        fc.pre(text[place?.start ?? 0] === '[');
        const before = JSON.parse(text.slice(place?.start, place?.end)) as unknown[];
        const at = Math.min(index, before.length);
        const expected = setIn(value, path, [...before.slice(0, at), item, ...before.slice(at)]);
        expect(isSameValue(JSON.parse(insertItem(text, path, index, item)), expected)).toBe(true);
        const rawResult = insertItem(text, path, index, new RawJson(raw.trim()));
        expect(isSameValue(JSON.parse(rawResult), expected)).toBe(true);
        expect(rawResult).toContain(raw.trim());
      }),
    );
  });
});

describe('the layout of new text', () => {
  const added = { name: 'b', attributes: { pins: { a: '1' } } };
  it.each([
    [
      'two spaces',
      '{\n  "components": [\n    {\n      "name": "a"\n    }\n  ]\n}\n',
      '{\n  "components": [\n    {\n      "name": "a"\n    },\n    {\n      "name": "b",\n      "attributes": {\n        "pins": {\n          "a": "1"\n        }\n      }\n    }\n  ]\n}\n',
    ],
    [
      'tabs and no end of line at the end',
      '{\n\t"components": [\n\t\t{\n\t\t\t"name": "a"\n\t\t}\n\t]\n}',
      '{\n\t"components": [\n\t\t{\n\t\t\t"name": "a"\n\t\t},\n\t\t{\n\t\t\t"name": "b",\n\t\t\t"attributes": {\n\t\t\t\t"pins": {\n\t\t\t\t\t"a": "1"\n\t\t\t\t}\n\t\t\t}\n\t\t}\n\t]\n}',
    ],
    [
      'CRLF, small objects on one line',
      '{\r\n    "components": [\r\n        {\r\n            "name": "a",\r\n            "attributes": { "pins": {} }\r\n        }\r\n    ]\r\n}\r\n',
      '{\r\n    "components": [\r\n        {\r\n            "name": "a",\r\n            "attributes": { "pins": {} }\r\n        },\r\n        {\r\n            "name": "b",\r\n            "attributes": { "pins": { "a": "1" } }\r\n        }\r\n    ]\r\n}\r\n',
    ],
    [
      'one line',
      '{"components":[{"name":"a"}]}',
      '{"components":[{"name":"a"},\n    {\n      "name": "b",\n      "attributes": {\n        "pins": {\n          "a": "1"\n        }\n      }\n    }]}',
    ],
    [
      'one line with spaces',
      '{ "components": [{ "name": "a" }] }',
      '{ "components": [{ "name": "a" },\n    {\n      "name": "b",\n      "attributes": {\n        "pins": {\n          "a": "1"\n        }\n      }\n    }] }',
    ],
    [
      'an entry on each line',
      '{\n  "components": [\n    { "name": "a" }\n  ]\n}\n',
      '{\n  "components": [\n    { "name": "a" },\n    { "name": "b", "attributes": { "pins": { "a": "1" } } }\n  ]\n}\n',
    ],
    [
      'commas in front',
      '{\n  "components": [\n    { "name": "0" }\n  , { "name": "a" }\n  ]\n}\n',
      '{\n  "components": [\n    { "name": "0" }\n  , { "name": "a" }\n  , { "name": "b", "attributes": { "pins": { "a": "1" } } }\n  ]\n}\n',
    ],
  ])('%s', (_, text, expected) => {
    expect(insertItem(text, ['components'], 9, added)).toBe(expected);
  });

  it('a new key comes last, on a line of its own where the others have one', () => {
    const text = '{\n  "components": [\n    { "name": "a" }\n  ]\n}\n';
    expect(setValue(text, ['debug'], true)).toBe(
      '{\n  "components": [\n    { "name": "a" }\n  ],\n  "debug": true\n}\n',
    );
    expect(setValue(text, ['components', 0, 'attributes', 'max_rpm'], 5)).toBe(
      '{\n  "components": [\n    { "name": "a", "attributes": { "max_rpm": 5 } }\n  ]\n}\n',
    );
  });

  it('a new entry has lines of its own in a text of one line, and only the entry', () => {
    const lines = '[\n    {\n      "name": "b",\n      "max_rpm": 5\n    }\n  ]';
    const entry = { name: 'b', max_rpm: 5 };
    expect(insertItem('{"debug":true,"rate":1e3}', ['components'], 0, entry)).toBe(
      `{"debug":true,"rate":1e3,"components":${lines}}`,
    );
    expect(insertItem('{"components":[],"rate":1e3}', ['components'], 0, entry)).toBe(
      `{"components":${lines},"rate":1e3}`,
    );
    expect(insertItem('{"components":[{"name":"a","x":0.10}]}', ['components'], 0, entry)).toBe(
      '{"components":[\n    {\n      "name": "b",\n      "max_rpm": 5\n    },{"name":"a","x":0.10}]}',
    );
    expect(setValue('{"components":[{"name":"a"}]}', ['components', 0, 'attributes'], { pins: { a: '1' } })).toBe(
      '{"components":[{"name":"a","attributes":{"pins":{"a":"1"}}}]}',
    );
  });

  it('a new machine from an empty text, and into empty sections', () => {
    const board = { name: 'bench', model: 'fake', attributes: { fail_new: false } };
    const text =
      '{\n  "components": [\n    {\n      "name": "bench",\n      "model": "fake",\n      "attributes": {\n        "fail_new": false\n      }\n    }\n  ]\n}\n';
    expect(insertItem('', ['components'], 0, board)).toBe(text);
    expect(insertItem('{}', ['components'], 0, board)).toBe(text.trimEnd());
    expect(insertItem('{\n  "components": []\n}\n', ['components'], 0, board)).toBe(text);
    expect(setValue('\n', ['debug'], true)).toBe('{\n  "debug": true\n}\n');
  });

  it('numbers, order and odd spacing of the rest survive', () => {
    const text = '{ "b" :1.50,\n\n"a": [1e3 ,  2.0],  "c": { "z": 0.10 , "y": -0 } }';
    expect(setValue(text, ['c', 'y'], 7)).toBe(text.replace('-0', '7'));
    expect(setValue(text, ['a'], [1000, 2, 5])).toBe(
      '{ "b" :1.50,\n\n"a": [1e3 ,  2.0 ,  5],  "c": { "z": 0.10 , "y": -0 } }',
    );
    expect(removeValue(text, ['b'])).toBe('{ "a": [1e3 ,  2.0],  "c": { "z": 0.10 , "y": -0 } }');
  });
});
