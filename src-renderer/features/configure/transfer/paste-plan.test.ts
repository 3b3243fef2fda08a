import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyModel, readDocument, type DocumentModel } from '../document/document-model.ts';
import { insertItem, SpelledJson } from '../document/editing/document-edits.ts';
import { partOfDocument } from '../document/editing/part-of-document.ts';
import { oddJson } from '../document/editing/json.fixture.ts';
import { namesIn } from '../document/references.ts';
import { pastePlan, type PastePlan, type Surroundings } from './paste-plan.ts';

const alone: Surroundings = { runs: () => false, serves: () => false };

const board = (name: string): object => ({ name, api: 'core:component:board', model: 'fake' });
const motor = (name: string, on: string, more: object = {}): object => ({
  name,
  api: 'core:component:motor',
  model: 'gpio',
  attributes: { board: on },
  ...more,
});

function read(value: unknown): { readonly text: string; readonly model: DocumentModel } {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const found = readDocument(text);
  return { text, model: found.kind === 'read' ? found.model : emptyModel };
}

function plan(
  here: unknown,
  pasted: unknown,
  choices: Readonly<Record<string, boolean>> = {},
  around: Surroundings = alone,
): PastePlan {
  return pastePlan(read(here).model, read(pasted), new Map(Object.entries(choices)), around);
}

const added = ({ additions }: PastePlan): unknown[] => additions.map(({ written }): unknown => JSON.parse(written));
const missing = ({ items }: PastePlan) => items.map((item) => item.missing);

describe('what pasting adds', () => {
  it('keeps free names, and gives a new one where a name is taken, with the references to it', () => {
    const found = plan(
      { components: [board('bench'), board('other')] },
      {
        components: [
          { ...board('bench'), attributes: { fail_new: true } },
          motor('left', 'bench', { depends_on: ['core:component:board/bench', 'other'] }),
        ],
      },
    );
    expect(found.items.map(({ name }) => name)).toEqual(['bench-2', 'left']);
    expect(added(found)).toEqual([
      { ...board('bench-2'), attributes: { fail_new: true } },
      motor('left', 'bench-2', { depends_on: ['core:component:board/bench-2', 'other'] }),
    ]);
    expect(missing(found)).toEqual([[], []]);
  });

  it('does not propose what is here already: then references mean the one here', () => {
    const text = { components: [board('bench'), motor('left', 'bench')] };
    const found = plan({ components: [board('bench')] }, text);
    expect(found.items.map(({ isHere, isChosen }) => [isHere, isChosen])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(added(found)).toEqual([motor('left', 'bench')]);
    // Chosen all the same, it is a second one.
    const both = plan({ components: [board('bench')] }, text, { '/components/0': true });
    expect(added(both)).toEqual([board('bench-2'), motor('left', 'bench-2')]);
  });

  it('names what is neither pasted nor here', () => {
    const text = { components: [board('bench'), motor('left', 'bench'), motor('right', 'far:bench')] };
    const without = { '/components/0': false };
    expect(missing(plan({}, text, without))).toEqual([[], ['bench'], ['far:bench']]);
    expect(missing(plan({ remotes: [{ name: 'far' }] }, text, without))).toEqual([[], ['bench'], []]);
    const runs = (name: string): boolean => name === 'bench';
    expect(missing(plan({}, text, without, { ...alone, runs }))).toEqual([[], [], ['far:bench']]);
  });

  it('names the module of a model, unless one here may serve it', () => {
    const sensor = { components: [{ name: 's', api: 'core:component:sensor', model: 'acme:env:dht' }] };
    const module = (id: object): object => ({ type: 'local', name: 'm', ...id });
    const missingFor = (here: unknown, pasted: unknown = sensor, around = alone): string | undefined =>
      plan(here, pasted, {}, around).items[0]?.missingModule;
    expect(missingFor({})).toBe('acme:env');
    expect(missingFor({ modules: [module({ module_id: 'acme:arms' })] })).toBe('acme:env');
    expect(missingFor({ modules: [module({})] })).toBe('');
    expect(missingFor({}, { ...sensor, modules: [module({ module_id: 'acme:env' })] })).toBe('');
    expect(missingFor({}, sensor, { ...alone, serves: () => true })).toBe('');
    expect(missingFor({}, { components: [board('b')] })).toBe('');
  });

  it('says which texts may mean a renamed entry, and leaves them', () => {
    const arm = { name: 'arm', api: 'core:component:arm', model: 'acme:arms:x', attributes: { base: 'bench' } };
    const found = plan({ components: [board('bench')] }, { components: [{ ...board('bench'), notes: 'x' }, arm] });
    expect(found.items.map(({ unsure }) => unsure.map(({ where }) => where))).toEqual([[], ['arm · attributes.base']]);
    expect(added(found)[1]).toEqual(arm);
  });

  it('tells modules and remotes apart from resources, and unnamed services by their API', () => {
    const modules = [{ type: 'local', name: 'a', executable_path: '/b' }];
    const found = plan(
      { components: [board('a')], services: [{ api: 'core:service:data_manager' }] },
      { modules, remotes: [{ name: 'a', address: 'x' }], services: [{ api: 'core:service:vision', model: 'm' }] },
    );
    expect(found.items.map(({ name }) => name)).toEqual(['builtin', 'a', 'a']);
  });
});

const name = fc.constantFrom('a', 'b', 'c', 'a-2', 'b-7');
const bench = fc
  .tuple(fc.uniqueArray(name, { maxLength: 4 }), fc.array(fc.tuple(name, name), { maxLength: 4 }))
  .map(([boards, motors]) => ({
    components: [
      ...boards.map(board),
      ...motors
        .filter(([, on]) => boards.includes(on))
        .map(([own, on], index) => motor(`${own}m${index}`, on, { depends_on: [on], n: index })),
    ],
  }));

describe('pasting', () => {
  it('leaves no reference among the pasted entries without its entry, and no name twice', () => {
    fc.assert(
      fc.property(bench, bench, fc.array(fc.boolean(), { maxLength: 8 }), (here, pasted, ticks) => {
        const source = read(pasted).model.entries;
        const choices = Object.fromEntries(ticks.map((tick, index) => [`/components/${index}`, tick]));
        const { items, additions } = plan(here, pasted, choices);
        let text = JSON.stringify(here);
        for (const { section, written } of additions) {
          text = insertItem(text, [section], Number.MAX_SAFE_INTEGER, new SpelledJson(written));
        }
        const { entries } = read(text).model;
        const names = entries.map((entry) => entry.name);
        expect(new Set(names).size).toBe(names.length);
        const renamed = new Map(items.filter((item) => item.isChosen).map((item) => [item.entry.name, item.name]));
        for (const item of items.filter(({ isChosen }) => isChosen)) {
          const after = entries.find((entry) => entry.name === item.name);
          const before = source.find(({ pointer }) => pointer === item.entry.pointer);
          expect(after && namesIn(after).map((named) => named.text)).toEqual(
            before && namesIn(before).map((named) => renamed.get(named.text) ?? named.text),
          );
          if (item.missing.length === 0) {
            for (const named of after === undefined ? [] : namesIn(after)) expect(names).toContain(named.text);
          }
        }
      }),
    );
  });

  it('of what was copied into an empty configuration gives equal values, in the spelling of the text', () => {
    const entry = fc.tuple(fc.constantFrom('components', 'services', 'modules', 'remotes'), oddJson);
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 5 }), (parts) => {
        const lists = ['components', 'services', 'modules', 'remotes'].map((section) => {
          const own = parts.flatMap(([list, { text }], index) =>
            list === section ? [`{"name":"n${index}", "attributes" : ${text}}`] : [],
          );
          return `"${section}": [${own.join(',\n')}]`;
        });
        const source = read(`{${lists.join(',')}}`);
        const written = source.model.entries.map(({ section, from, to }) => ({
          section,
          written: source.text.slice(from, to),
        }));
        const { additions } = pastePlan(emptyModel, read(partOfDocument(written)), new Map(), alone);
        let text = '';
        for (const each of additions) {
          text = insertItem(text, [each.section], Number.MAX_SAFE_INTEGER, new SpelledJson(each.written));
        }
        expect(read(text).model.entries.map(({ value }) => value)).toEqual(
          source.model.entries.map(({ value }) => value),
        );
        for (const [, { text: spelled }] of parts) {
          for (const number of spelled.match(/\b1e3\b|0\.10/g) ?? []) expect(text).toContain(number);
        }
      }),
    );
  });
});
