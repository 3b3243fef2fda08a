import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textEntries, type TextEntry } from '../text/text-entries.ts';
import { changesWords } from './change-words.ts';
import { textChanges, type EntryChange } from './text-changes.ts';
import { isFollowing } from './value-changes.ts';

interface Component {
  readonly name: string;
  readonly api: string;
  readonly model: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly depends_on?: readonly string[];
}
const entries = (components: readonly object[], more: object = {}): ReadonlyMap<string, TextEntry> =>
  textEntries(JSON.stringify({ components, ...more })) ?? new Map();
const compare = (before: readonly object[], after: readonly object[]): readonly EntryChange[] =>
  textChanges(entries(before), entries(after));
const kinds = (found: readonly EntryChange[]): readonly string[] =>
  found.map(({ kind, subject, oldName, changes }) =>
    [kind, oldName?.split('/')[1], subject.split('/')[1], changesWords(changes)].filter((word) => word).join(' '),
  );

const board = (name: string, attributes: object = {}): object => ({
  name,
  api: 'core:component:board',
  model: 'fake',
  attributes,
});
const motor = (name: string, on: string, more: object = {}): object => ({
  name,
  api: 'rdk:component:motor',
  model: 'gpio',
  attributes: { board: on, ...more },
});

describe('a renamed resource', () => {
  it('is one change, and what names it follows', () => {
    const before = [
      board('bench'),
      motor('left', 'bench'),
      { ...motor('right', 'x'), depends_on: ['core:component:board/bench'] },
    ];
    const after = [
      board('desk'),
      motor('left', 'desk'),
      { ...motor('right', 'x'), depends_on: ['core:component:board/desk'] },
    ];
    const found = compare(before, after);
    expect(kinds(found)).toEqual([
      'renamed bench desk',
      'changed left board bench → desk',
      'changed right depends on: bench → desk',
    ]);
    expect(found.slice(1).every(({ changes }) => changes.every(isFollowing))).toBe(true);
  });

  it('is recognised with other changes if references follow it, and not without', () => {
    const was = [board('bench', { a: 1 }), motor('left', 'bench')];
    expect(kinds(compare(was, [board('desk', { a: 2 }), motor('left', 'desk')]))).toEqual([
      'renamed bench desk a 1 to 2',
      'changed left board bench → desk',
    ]);
    expect(kinds(compare(was, [board('desk', { a: 2 }), motor('left', 'bench')])).toSorted()).toEqual([
      'added desk model set to fake, a set to 2',
      'removed bench model removed, a removed',
    ]);
  });

  it('is recognised beside another whose name is in it', () => {
    const before = [motor('left', 'bench', { max_rpm: 1 }), board('bench')];
    expect(kinds(compare(before, [motor('port', 'desk', { max_rpm: 1 }), board('desk')]))).toEqual([
      'renamed left port board bench → desk',
      'renamed bench desk',
    ]);
  });

  it('of several equal ones is the one that references tell', () => {
    const before = [board('a'), board('b'), motor('m', 'b')];
    expect(
      kinds(compare(before, [board('c'), board('d'), motor('m', 'c')])).filter((line) => line.startsWith('renamed')),
    ).toEqual(['renamed b c', 'renamed a d']);
  });

  it('is of the same API and model', () => {
    expect(kinds(compare([board('a')], [motor('b', 'x')])).map((line) => line.split(' ')[0])).toEqual([
      'added',
      'removed',
    ]);
    expect(kinds(compare([board('a')], [{ ...board('b'), model: 'pi' }])).map((line) => line.split(' ')[0])).toEqual([
      'added',
      'removed',
    ]);
  });
});

const component: fc.Arbitrary<Component> = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  api: fc.constantFrom('rdk:component:motor', 'core:component:motor'),
  model: fc.constantFrom('fake', 'gpio'),
  attributes: fc.dictionary(
    fc.constantFrom('board', 'rate', 'list'),
    fc.oneof(
      fc.constantFrom<unknown>('a', 'b', 'core:component:motor/c', 1, true),
      fc.array(fc.constantFrom('a', 'd')),
    ),
    { maxKeys: 3 },
  ),
  depends_on: fc.subarray(['a', 'b', 'core:component:motor/d']),
});
const config = fc.uniqueArray(component, { maxLength: 6, selector: ({ name }) => name });

/** The same configuration with another name of one resource, everywhere. */
function renamed(list: readonly Component[], from: string, to: string): unknown {
  return JSON.parse(JSON.stringify(list).replaceAll(new RegExp(`(["/])${from}"(?!:)`, 'g'), `$1${to}"`));
}

describe('for any configuration', () => {
  it('compared with itself, nothing differs', () => {
    fc.assert(
      fc.property(config, (list) => {
        expect(compare(list, structuredClone(list).toReversed())).toEqual([]);
      }),
    );
  });

  it('a rename and nothing else is one rename, and all else that differs follows it', () => {
    fc.assert(
      fc.property(config, fc.nat(5), (list, at) => {
        const from = list[at % Math.max(list.length, 1)]?.name;
        fc.pre(from !== undefined);
        const found = compare(list, renamed(list, from, 'wheel') as object[]);
        expect(found.filter(({ kind }) => kind === 'renamed').map(({ subject }) => subject.split('/')[1])).toEqual([
          'wheel',
        ]);
        expect(found.filter(({ kind }) => kind === 'added' || kind === 'removed')).toEqual([]);
        for (const { changes } of found) expect(changes.every(isFollowing)).toBe(true);
      }),
    );
  });

  it('each name is told once', () => {
    fc.assert(
      fc.property(config, config, (before, after) => {
        const found = compare(before, after);
        const old = found.flatMap(({ kind, subject, oldName }) =>
          kind === 'removed' ? [subject] : oldName === undefined ? [] : [oldName],
        );
        const is = found.flatMap(({ kind, subject }) => (kind === 'removed' ? [] : [subject]));
        expect(new Set(old).size).toBe(old.length);
        expect(new Set(is).size).toBe(is.length);
        const gone = [...entries(before).keys()].filter((name) => !entries(after).has(name));
        expect(old.toSorted()).toEqual(gone.toSorted());
      }),
    );
  });
});

it('says of secrets only that they differ', () => {
  const before = entries([{ ...board('x', { password: 'hush-1' }) }], { auth: { handlers: [{ key: 'hush-2' }] } });
  const after = entries([{ ...board('x', { password: 'hush-3' }) }], {
    remotes: [{ name: 'r', auth: { key: 'hush-4' } }],
  });
  const found = textChanges(before, after);
  expect(found.map(({ changes }) => changesWords(changes))).toEqual([
    'password changed (***)',
    'remotes: added r',
    'auth removed',
  ]);
});
