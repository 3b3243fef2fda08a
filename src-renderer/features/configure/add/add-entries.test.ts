import { describe, expect, it } from 'vitest';
import { readDocument, type DocumentModel } from '../document/document-model.ts';
import { entriesOf, proposedName, sectionOf, type TypedParts } from './add-entries.ts';
import type { RemoteChoice } from './use-add-choices.ts';

const choice: RemoteChoice = { kind: 'remote', id: 'remote' };
const typed = (more: Partial<TypedParts>): TypedParts => ({
  program: '',
  moduleId: '',
  address: '',
  machine: '',
  ...more,
});

function modelOf(document: object): DocumentModel {
  const read = readDocument(JSON.stringify(document));
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}

describe('a remote that is added', () => {
  it.each([
    ['bench-2.hall.armature.local', 'bench-2'],
    ['Bench 2.hall', 'Bench-2'],
    ['-odd', 'odd'],
    // The name is taken.
    ['cell.hall.armature.local', 'cell-2'],
    ['', 'machine-1'],
    ['…', 'machine-1'],
  ])('that announces the name "%s" is called %s here', (machine, expected) => {
    const model = modelOf({ remotes: [{ name: 'cell', address: 'cell:1' }] });
    expect(proposedName(choice, model, typed({ machine }))).toBe(expected);
  });

  it('is written with its name and address only', () => {
    expect(sectionOf(choice)).toBe('remotes');
    expect(entriesOf(choice, 'bench-2', modelOf({}), typed({ address: 'https://10.0.0.5:8080' }))).toEqual([
      { section: 'remotes', value: { name: 'bench-2', address: 'https://10.0.0.5:8080' } },
    ]);
  });
});
