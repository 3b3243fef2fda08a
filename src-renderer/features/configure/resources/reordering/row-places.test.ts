import { describe, expect, it } from 'vitest';
import { emptyModel, readDocument } from '../../document/document-model.ts';
import { createTexts } from '../../../../shared/text.ts';
import { listItems, type ListItem } from '../list-items.ts';
import { resourceRows } from '../resource-rows.ts';
import { dropPlace, siblingsOf, startsOf, stepIndex } from './row-places.ts';

const named = (...names: string[]): object[] =>
  names.map((name) => ({ name, api: 'core:component:motor', model: 'fake' }));
const read = readDocument(JSON.stringify({ components: named('a', 'b', 'c', 'd'), remotes: [{ name: 'far' }] }));
const model = read.kind === 'read' ? read.model : emptyModel;
const gone = readDocument(JSON.stringify({ components: named('x', 'gone') }));
const removed = gone.kind === 'read' ? gone.model.entries.slice(1) : [];
const rows = resourceRows({
  model,
  removed,
  live: [],
  modules: [],
  remotes: [],
  problems: [],
  changeOf: () => undefined,
});
/** Components: a, gone, b, c, d. */
const items = listItems(rows, [], true, false, createTexts());
const key = (name: string): string => rows.find((row) => row.name === name)?.key ?? '';
const heights = { heading: 30, row: 50, page: 30 } as const;
const starts = startsOf(items.map(({ kind }) => heights[kind]));
const drop = (list: readonly ListItem[], name: string, offset: number) =>
  dropPlace(siblingsOf(list, key(name)), key(name), offset, starts);

describe('the rows of a group', () => {
  it('are the entries of its section in the draft', () => {
    expect(siblingsOf(items, key('c')).map(({ entry }) => entry.name)).toEqual(['a', 'b', 'c', 'd']);
    expect(siblingsOf(items, key('far')).map(({ entry }) => entry.name)).toEqual(['far']);
    expect(siblingsOf(items, key('gone'))).toEqual([]);
    expect(siblingsOf(items, 'configure')).toEqual([]);
  });
});

describe('a step', () => {
  it('leads to the place of the neighbour, and nowhere at the ends', () => {
    const all = siblingsOf(items, key('b'));
    expect([stepIndex(all, key('b'), -1), stepIndex(all, key('b'), 1)]).toEqual([0, 2]);
    expect([stepIndex(all, key('a'), -1), stepIndex(all, key('d'), 1)]).toEqual([undefined, undefined]);
  });

  it('passes what a filter hides', () => {
    const some = items.filter((item) => item.key !== key('b'));
    expect(stepIndex(siblingsOf(some, key('a')), key('a'), 1)).toBe(2);
  });
});

describe('a dragged row', () => {
  it('goes to the nearest gap of its group', () => {
    // Lines: heading 0, a 30, gone 80, b 130, c 180, d 230, then the heading of the remotes at 280.
    expect(drop(items, 'd', 0)).toEqual({ line: 30, index: 0 });
    expect(drop(items, 'd', 140)).toEqual({ line: 130, index: 1 });
    expect(drop(items, 'a', 170)).toEqual({ line: 180, index: 1 });
    expect(drop(items, 'a', 2000)).toEqual({ line: 280, index: 3 });
  });

  it('stays where the gap is one of its own', () => {
    expect(drop(items, 'b', 140)?.index).toBe(1);
    expect(drop(items, 'b', 170)?.index).toBe(1);
  });
});
