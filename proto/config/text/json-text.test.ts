import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEEPEST_NESTING, nodeAt, readJsonText, type JsonNode } from './json-text.ts';
import { joinPointer } from './json-pointer.ts';

function parseStrictly(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** JSON text with something taken out, doubled or put in. */
const brokenText = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.constantFrom('', ',', '{', '}', '[', ']', '"', ':', '//x\n', '\\', "'", '1', 'e', '\t'),
    fc.nat({ max: 2 }),
  )
  .map(([text, at, put, cut]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + cut);
  });

describe('readJsonText', () => {
  it('reads what JSON.parse reads, with the same value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const { root, faults } = readJsonText(text);
        expect(faults).toEqual([]);
        expect(root?.value).toStrictEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses what JSON.parse refuses, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(brokenText, fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
        const expected = parseStrictly(text);
        const { root, faults } = readJsonText(text);
        const isRefused = faults.some((fault) => fault.kind === 'syntax');
        expect(isRefused).toBe(expected === undefined);
        expect(root === undefined).toBe(isRefused);
        for (const fault of faults) {
          expect(fault.offset).toBeGreaterThanOrEqual(0);
          expect(fault.offset).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('knows the text of every value', () => {
    const check = (text: string, root: JsonNode, node: JsonNode, pointer: string): void => {
      expect(JSON.parse(text.slice(node.start, node.end))).toStrictEqual(node.value);
      expect(nodeAt(root, pointer)).toBe(node);
      for (const [key, child] of node.properties ?? []) {
        expect(text.slice(child.keyStart).startsWith('"')).toBe(true);
        check(text, root, child, joinPointer(pointer, key));
      }
      node.items?.forEach((child, index) => check(text, root, child, joinPointer(pointer, index)));
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const { root } = readJsonText(text);
        if (root !== undefined) check(text, root, root, '');
        expect(root).toBeDefined();
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['{"a": {"b": [1, 2]}}', '/a/b/1', 1, 17],
    ['{\n  "a": 1\n}', '/a', 2, 8],
    ['{\r\n "a": 1}', '/a', 2, 7],
    ['{\r "a": 1}', '/a', 2, 7],
    ['{"a/b~": 1}', '/a~1b~0', 1, 10],
    ['\uFEFF{"a": 1}', '/a', 1, 7],
    ['7', '', 1, 1],
  ])('finds in %j the value %s at %i:%i', (text, pointer, line, column) => {
    const { root, lines } = readJsonText(text);
    expect(lines.at(nodeAt(root as JsonNode, pointer)?.start ?? -1)).toEqual({ line, column });
  });

  it.each(['/b', '/a/x', '/a/00', 'a', '/a/-1'])('has no place for %s', (pointer) => {
    const { root } = readJsonText('{"a": [1]}');
    expect(nodeAt(root as JsonNode, pointer)).toBeUndefined();
  });

  it('keeps a key named __proto__ as a key', () => {
    const { root } = readJsonText('{"__proto__": {"polluted": true}}');
    expect(Object.keys(root?.value as object)).toEqual(['__proto__']);
    expect('polluted' in ({} as object)).toBe(false);
    expect(nodeAt(root as JsonNode, '/__proto__/polluted')?.value).toBe(true);
  });

  it('reads up to the deepest nesting and no further', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(readJsonText(nested(DEEPEST_NESTING)).faults).toEqual([]);
    expect(readJsonText(nested(DEEPEST_NESTING + 1)).faults.map((fault) => fault.kind)).toEqual(['too_deep']);
    expect(readJsonText('{"a":'.repeat(200_000)).faults.map((fault) => fault.kind)).toContain('too_deep');
  });

  it('keeps the first of two equal keys and places the second', () => {
    const { root, faults } = readJsonText('{"a": {"b": 1,\n "b": 2}}');
    expect(root?.value).toEqual({ a: { b: 1 } });
    expect(faults).toMatchObject([{ kind: 'duplicate_key', pointer: '/a/b', offset: 16 }]);
  });

  it('ends early on a text that is no JSON at all', () => {
    const { faults } = readJsonText('// no\n'.repeat(100_000));
    expect(faults.length).toBeLessThan(50);
  });
});
