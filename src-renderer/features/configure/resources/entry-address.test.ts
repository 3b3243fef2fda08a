import { describe, expect, it } from 'vitest';
import { readDocument, type DocumentModel } from '../document/document-model.ts';
import { addressesOf, entryAround, entryAt } from './entry-address.ts';

function modelOf(document: object): DocumentModel {
  const read = readDocument(JSON.stringify(document));
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}

const model = modelOf({
  components: [
    { name: 'left', api: 'core:component:motor', model: 'fake' },
    { name: 'left', api: 'core:component:sensor', model: 'fake' },
    { name: 'left', api: 'core:component:motor', model: 'gpio' },
    { api: 'core:component:motor', model: 'fake' },
  ],
  modules: [{ name: 'left', type: 'local' }],
});

describe('the address of an entry', () => {
  it('is its short name; its full name if that is taken; its pointer if that is taken too', () => {
    expect([...addressesOf(model).values()]).toEqual([
      'left',
      'core:component:sensor/left',
      '/components/2',
      '/components/3',
      'module/left',
    ]);
  });

  it('leads back to the entry', () => {
    for (const [entry, address] of addressesOf(model)) expect(entryAt(model, address)).toBe(entry);
  });

  it('that is unknown leads to no entry', () => {
    expect(entryAt(model, 'right')).toBeUndefined();
    expect(entryAt(model, '')).toBeUndefined();
  });
});

describe('the entry around an offset', () => {
  it('is the one whose braces enclose it', () => {
    const [first, second] = model.entries;
    expect(entryAround(model, (second?.from ?? 0) + 3)).toBe(second);
    expect(entryAround(model, first?.from ?? 0)).toBe(first);
    expect(entryAround(model, 0)).toBeUndefined();
  });
});
