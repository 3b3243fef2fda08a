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
});
