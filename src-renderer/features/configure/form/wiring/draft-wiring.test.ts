import { describe, expect, it } from 'vitest';
import { readDocument, type DocumentModel } from '../../document/document-model.ts';
import { draftWiring, fixedList } from './draft-wiring.ts';

function modelOf(board: object): DocumentModel {
  const read = readDocument(
    JSON.stringify({
      components: [
        { name: 'bench', api: 'core:component:board', model: 'fake', ...board },
        {
          name: 'enc',
          api: 'core:component:encoder',
          model: 'incremental',
          attributes: { board: 'bench', pins: { a: '16', b: '18' } },
        },
      ],
    }),
  );
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}

function problemsOf(model: DocumentModel): ReturnType<typeof draftWiring> {
  const entry = model.entries[1];
  if (entry === undefined) throw new Error('two entries');
  return draftWiring(model, entry);
}

describe('wiring in the draft', () => {
  it('has a problem at the pin, with a fix for the board; once fixed, it has none', () => {
    const model = modelOf({ attributes: { fail_new: false, digital_interrupts: [{ name: 'b', pin: '18' }] } });
    const [problem] = problemsOf(model);
    expect(problem).toMatchObject({
      pointer: '/components/1/attributes/pins/a',
      message: 'Board "bench" has no digital interrupt "16"; it has "b", "18".',
    });
    if (problem?.fix === undefined) throw new Error('a fix is offered');
    const fixed = fixedList(model, problem.fix);
    expect(fixed?.path).toEqual(['components', 0, 'attributes', 'digital_interrupts']);
    expect(fixed?.items).toEqual([
      { name: 'b', pin: '18' },
      { name: '16', pin: '16' },
    ]);
    expect(problemsOf(modelOf({ attributes: { fail_new: false, digital_interrupts: fixed?.items } }))).toEqual([]);
  });

  it('is not checked while the board is disabled or half written', () => {
    expect(problemsOf(modelOf({ disabled: true, attributes: { fail_new: false } }))).toEqual([]);
    expect(problemsOf(modelOf({ attributes: { fail_new: false, digital_interrupts: [7] } }))).toEqual([]);
  });
});
