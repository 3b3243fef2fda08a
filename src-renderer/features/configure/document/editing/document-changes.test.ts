import { describe, expect, it } from 'vitest';
import { documentChanges } from './document-changes.ts';
import { emptyModel, readDocument, type DocumentModel } from '../document-model.ts';

function modelOf(text: string): DocumentModel {
  const read = readDocument(text);
  return read.kind === 'read' ? read.model : emptyModel;
}

describe('the draft against what is applied', () => {
  it('names what is added, changed and removed, and not what is only laid out anew', () => {
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
