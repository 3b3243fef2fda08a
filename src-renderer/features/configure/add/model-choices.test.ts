import { describe, expect, it } from 'vitest';
import { readDocument, type DocumentModel } from '../document/document-model.ts';
import { foundChoices, modelChoices, newEntry, type ModelChoice } from './model-choices.ts';

function modelOf(components: readonly object[]): DocumentModel {
  const read = readDocument(JSON.stringify({ components }));
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}
const board = (name: string): object => ({ name, api: 'core:component:board', model: 'fake' });
function choice(id: string): ModelChoice {
  const found = modelChoices.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no choice ${id}`);
  return found;
}
const found = (text: string): string[] => foundChoices(text).flatMap(([, choices]) => choices.map(({ id }) => id));

describe('the models to choose from', () => {
  it('have unique ids and their needs', () => {
    expect(new Set(modelChoices.map(({ id }) => id)).size).toBe(modelChoices.length);
    expect(choice('motor.gpio').needs).toEqual([
      { key: 'board', api: 'core:component:board', subtype: 'board', isRequired: true },
      { key: 'encoder', api: 'core:component:encoder', subtype: 'encoder', isRequired: false },
    ]);
  });

  it('are found if all words match, those of the named API first', () => {
    expect(found('motor gpio')).toEqual(['motor.gpio']);
    expect(found('motor')[0]).toBe('motor.gpio');
    expect(found('FAKE sensor')[0]).toBe('sensor.fake');
    expect(found('nothing')).toEqual([]);
  });
});

describe('a new entry', () => {
  it('is spelled as in the documentation, and uses the only board', () => {
    expect(newEntry(choice('motor.gpio'), 'left', modelOf([board('bench')]))).toEqual({
      name: 'left',
      api: 'core:component:motor',
      model: 'gpio',
      attributes: { board: 'bench', pins: {} },
    });
  });

  it('leaves the board open if there are several or none', () => {
    for (const components of [[], [board('a'), board('b')]]) {
      const { attributes } = newEntry(choice('motor.gpio'), 'left', modelOf(components));
      expect(attributes).toMatchObject({ board: '' });
    }
  });
});
