import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameValue } from '../../../../../proto/config/text/text-entries.ts';
import { mergeTexts, type Merge, type Side } from './merge-texts.ts';

const none = new Map<string, Side>();
const bench = `{
  "components": [
    { "name": "board", "api": "core:component:board", "model": "fake",
      "attributes": { "digital_interrupts": [{ "name": "a", "pin": "16" }, { "name": "b", "pin": "18" }] } },
    { "name": "left", "api": "core:component:motor", "model": "gpio",
      "attributes": { "board": "board", "max_rpm": 100,   "pwm_freq": 800 } },
    { "name": "right", "api": "core:component:motor", "model": "gpio", "attributes": { "max_rpm": 100 } }
  ]
}
`;

function mergeOf(base: string, mine: string, theirs: string): Merge {
  const merge = mergeTexts(base, mine, theirs);
  if (merge === undefined) throw new Error('a text does not parse');
  return merge;
}

/** `bench` with parts of its text replaced; throws if a part is missing. */
function changed(...parts: readonly (readonly [string, string])[]): string {
  return parts.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`not there: ${from}`);
    return text.replace(from, to);
  }, bench);
}

describe('two changes of one configuration', () => {
  it('of two fields of one motor are merged without a conflict, in the layout of theirs', () => {
    const theirs = changed(['"pwm_freq": 800', '"pwm_freq":  20000.0']);
    const merge = mergeOf(bench, changed(['"max_rpm": 100, ', '"max_rpm": 150, ']), theirs);
    expect(merge.conflicts).toEqual([]);
    expect(merge.theirChanges).toEqual(['left']);
    expect(merge.result(none)).toBe(theirs.replace('"max_rpm": 100, ', '"max_rpm": 150, '));
  });

  it('of one field are a conflict of that field only, which keeps their value until one is chosen', () => {
    const merge = mergeOf(
      bench,
      changed(['"max_rpm": 100, ', '"max_rpm": 150, '], ['"pwm_freq": 800', '"pwm_freq": 900']),
      changed(['"max_rpm": 100, ', '"max_rpm": 80, ']),
    );
    expect(merge.conflicts).toEqual([
      {
        key: '/components/left/attributes/max_rpm',
        owner: 'left',
        field: ['attributes', 'max_rpm'],
        mine: '150',
        theirs: '80',
      },
    ]);
    expect(merge.result(none)).toBe(
      changed(['"max_rpm": 100, ', '"max_rpm": 80, '], ['"pwm_freq": 800', '"pwm_freq": 900']),
    );
    expect(merge.result(new Map([['/components/left/attributes/max_rpm', 'mine']]))).toContain('"max_rpm": 150');
  });

  it('match the items of inner lists by name: one adds an interrupt, the other moves one to another pin', () => {
    const theirs = changed(['"pin": "16"', '"pin": "11"']);
    const merge = mergeOf(bench, changed(['[{ "name": "a"', '[{ "name": "z", "pin": "7" }, { "name": "a"']), theirs);
    expect(merge.conflicts).toEqual([]);
    expect(merge.result(none)).toBe(theirs.replace('[{ "name": "a"', '[{ "name": "z", "pin": "7" }, { "name": "a"'));
  });

  it('are merged across a rename, alone and together with another change of the same resource', () => {
    const theirs = changed(['"pwm_freq": 800', '"pwm_freq": 900']);
    const mine = changed(['"name": "left"', '"name": "wheel"']);
    expect(mergeOf(bench, mine, theirs).result(none)).toBe(theirs.replace('"name": "left"', '"name": "wheel"'));
    expect(mergeOf(bench, theirs, mine).result(none)).toBe(theirs.replace('"name": "left"', '"name": "wheel"'));
    const both = changed(['"name": "left"', '"name": "wheel"'], ['"max_rpm": 100, ', '"max_rpm": 70, ']);
    const merge = mergeOf(bench, both, theirs);
    expect(merge.conflicts).toEqual([]);
    expect(merge.result(none)).toBe(both.replace('"pwm_freq": 800', '"pwm_freq": 900'));
    const other = mergeOf(bench, mine, changed(['"name": "left"', '"name": "motor"']));
    expect(other.conflicts.map(({ key, mine: own, theirs: found }) => [key, own, found])).toEqual([
      ['/components/left/name', '"wheel"', '"motor"'],
    ]);
  });

  it('conflict if one removed what the other changed, on either side', () => {
    const without = JSON.stringify({
      components: (JSON.parse(bench) as { components: { name: string }[] }).components.filter(
        ({ name }) => name !== 'left',
      ),
    });
    const faster = changed(['"pwm_freq": 800', '"pwm_freq": 900']);
    const removed = mergeOf(bench, without, faster);
    expect(removed.conflicts).toMatchObject([{ key: '/components/left', owner: 'left', field: [], mine: undefined }]);
    expect(isSameValue(JSON.parse(removed.result(none)), JSON.parse(faster))).toBe(true);
    expect(removed.result(new Map([['/components/left', 'mine']]))).not.toContain('left');
    const kept = mergeOf(bench, faster, without);
    expect(kept.conflicts).toMatchObject([{ key: '/components/left', theirs: undefined }]);
    expect(kept.result(none)).toBe(without);
    const back = JSON.parse(kept.result(new Map([['/components/left', 'mine']]))) as typeof JSON;
    expect(isSameValue(back, JSON.parse(faster))).toBe(true);
    // The other side did not change it: it is removed without a conflict.
    expect(mergeOf(bench, without, changed(['"fake"', '"linux"'])).result(none)).not.toContain('left');
  });

  it('that both add resources keep all of them; the same one added twice is merged field by field', () => {
    const added = (text: string): string => changed(['"attributes": { "max_rpm": 100 } }', text]);
    const old = '"attributes": { "max_rpm": 100 } }';
    const merge = mergeOf(
      bench,
      added(`${old}, { "name": "x", "model": "gpio", "a": 1 }`),
      added(`${old}, { "name": "y" }, { "name": "x", "model": "gpio", "b": 2 }`),
    );
    expect(merge.conflicts).toEqual([]);
    const { components } = JSON.parse(merge.result(none)) as { components: { name: string }[] };
    expect(components.map(({ name }) => name)).toEqual(['board', 'left', 'right', 'y', 'x']);
    expect(components.at(-1)).toEqual({ name: 'x', model: 'gpio', a: 1, b: 2 });
  });

  it('that are equal do not conflict, and keep my spelling if the other side did not change the text', () => {
    const faster = changed(['"max_rpm": 100, ', '"max_rpm": 150, ']);
    const merge = mergeOf(bench, faster, faster.replace('150', '150.0'));
    expect(merge.conflicts).toEqual([]);
    expect(merge.result(none)).toContain('150.0');
    const spelled = changed(['"pin": "16"', '"pin":   "\\u0031\\u0036"']);
    const theirs = changed(['{\n', '{ "debug": true,\n']);
    expect(mergeOf(bench, spelled, theirs).result(none)).toContain('\\u0031');
  });

  it('are not merged while one text does not parse', () => {
    expect(mergeTexts('{}', '{', '{}')).toBeUndefined();
  });
});

describe('two editors of one configuration', () => {
  /** Fields by their paths; a missing one is undefined. */
  type Fields = Readonly<Record<string, number | undefined>>;
  const resources = ['a', 'b', 'c'];
  const keys = ['max_rpm', 'pwm_freq', 'pins.a', 'pins.b', 'list.x.pin', 'list.y.pin'];
  const paths = resources.flatMap((name) => keys.map((key) => `${name}.${key}`));

  function objectOf(fields: Fields, name: string): Record<string, unknown> {
    const at = (key: string): number | undefined => fields[`${name}.${key}`];
    return {
      max_rpm: at('max_rpm'),
      pins: { a: at('pins.a'), b: at('pins.b') },
      pwm_freq: at('pwm_freq'),
      list: ['x', 'y'].map((item) => ({ name: item, pin: at(`list.${item}.pin`) })),
    };
  }

  function machineOf(fields: Fields): { components: unknown[] } {
    return {
      components: resources.map((name) => ({ name, model: 'gpio', attributes: objectOf(fields, name) })),
    };
  }

  const print = (fields: Fields, indent: number): string => JSON.stringify(machineOf(fields), null, indent);
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('edit' as const),
      who: fc.constantFrom(0, 1),
      path: fc.constantFrom(...paths),
      value: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
    }),
    fc.record({ kind: fc.constant('apply' as const), who: fc.constantFrom(0, 1) }),
  );

  it('lose no field, in whatever order they type and apply', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.constantFrom(0, 2),
        fc.boolean(),
        (steps, indent, takesMine) => {
          const first: Fields = Object.fromEntries(paths.map((path) => [path, 0]));
          const editors = [0, 1].map((who) => {
            // Each editor uses a different layout.
            const text = print(first, who === 0 ? indent : 2);
            return { base: first, mine: first, baseText: text, text };
          });
          for (const one of steps) {
            const editor = editors[one.who];
            const other = editors[1 - one.who];
            if (editor === undefined || other === undefined) throw new Error('two editors');
            if (one.kind === 'edit') {
              editor.mine = { ...editor.mine, [one.path]: one.value };
              editor.text = print(editor.mine, indent);
              continue;
            }
            const merge = mergeOf(other.baseText, other.text, editor.text);
            const asked = paths.filter((path) => {
              const [was, mine, theirs] = [other.base[path], other.mine[path], editor.mine[path]];
              return mine !== was && theirs !== was && mine !== theirs;
            });
            expect(merge.conflicts).toHaveLength(asked.length);
            const side: Side = takesMine ? 'mine' : 'theirs';
            const text = merge.result(new Map(merge.conflicts.map(({ key }) => [key, side])));
            const merged = Object.fromEntries(
              paths.map((path) => {
                const [was, mine, theirs] = [other.base[path], other.mine[path], editor.mine[path]];
                if (asked.includes(path)) return [path, takesMine ? mine : theirs];
                return [path, mine === was ? theirs : mine];
              }),
            );
            expect(isSameValue(JSON.parse(text), machineOf(merged))).toBe(true);
            Object.assign(editor, { base: editor.mine, baseText: editor.text });
            Object.assign(other, { base: editor.mine, baseText: editor.text, mine: merged, text });
          }
        },
      ),
    );
  });

  it('that add, remove and change resources have the same result as one after the other', () => {
    const change = fc.record({ kind: fc.constantFrom('set', 'remove', 'add'), value: fc.integer({ min: 2, max: 9 }) });
    const names = ['a', 'b', 'c', 'd', 'e'];
    type Entry = { readonly name: string; readonly value: number };
    const make = (entries: readonly Entry[], wanted: readonly (readonly [string, { kind: string; value: number }])[]) =>
      wanted.reduce((now, [name, { kind, value }]) => {
        if (kind === 'remove') return now.filter((entry) => entry.name !== name);
        if (now.some((entry) => entry.name === name)) {
          return now.map((entry) => (entry.name === name ? { ...entry, value } : entry));
        }
        return kind === 'add' ? [...now, { name, value }] : now;
      }, entries);
    const written = (entries: readonly Entry[], indent: number | string): string =>
      JSON.stringify({ components: entries }, null, indent);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), change), fc.constantFrom(0, 2, '\t'), (wanted, indent) => {
        const first = ['a', 'b', 'c'].map((name, index) => ({ name, value: index + 100 }));
        const all = Object.entries(wanted);
        const [mine, theirs] = [0, 1].map((who) => all.filter((_, index) => index % 2 === who));
        const merge = mergeOf(
          written(first, indent),
          written(make(first, mine ?? []), indent),
          written(make(first, theirs ?? []), indent),
        );
        expect(merge.conflicts).toEqual([]);
        const { components } = JSON.parse(merge.result(none)) as { components: Entry[] };
        const sorted = (entries: readonly Entry[]): Entry[] =>
          entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
        expect(sorted(components)).toEqual(sorted(make(make(first, theirs ?? []), mine ?? [])));
      }),
    );
  });
});
