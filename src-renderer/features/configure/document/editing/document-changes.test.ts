import { describe, expect, it } from 'vitest';
import { documentChanges } from './document-changes.ts';
import { emptyModel, readDocument, type DocumentModel } from '../document-model.ts';

function modelOf(text: string): DocumentModel {
  const read = readDocument(text);
  return read.kind === 'read' ? read.model : emptyModel;
}

describe('the differences between the draft and the applied configuration', () => {
  it('are the added, changed and removed entries, but not those with only another layout', () => {
    const { changes, removed } = documentChanges(
      modelOf('{"components": [{"name": "a", "x": 1.0}, {"name": "b", "x": 1}, {"name": "c"}]}'),
      modelOf('{"components": [{"name": "d"}, {"name": "b", "x": 2}, {"x": 1, "name": "a"}]}'),
    );
    expect([...changes]).toEqual([
      ['/d', 'added'],
      ['/b', 'changed'],
    ]);
    expect(removed.map(({ name }) => name)).toEqual(['c']);
  });

  it('tell whether the entries that both have are in another order, each section by itself', () => {
    const isReordered = (before: string, after: string) => documentChanges(modelOf(before), modelOf(after)).isReordered;
    const ab = '{"components": [{"name": "a"}, {"name": "b"}], "modules": [{"name": "m"}]}';
    expect(isReordered(ab, '{"modules": [{"name": "m"}], "components": [{"name": "a"}, {"name": "b"}]}')).toBe(false);
    expect(isReordered(ab, '{"components": [{"name": "new"}, {"name": "b"}]}')).toBe(false);
    expect(isReordered(ab, '{"components": [{"name": "b"}, {"name": "new"}, {"name": "a"}]}')).toBe(true);
  });
});
