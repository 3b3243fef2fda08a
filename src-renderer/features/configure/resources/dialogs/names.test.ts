import { describe, expect, it } from 'vitest';
import { createTexts } from '../../../../shared/text.ts';
import { readDocument, type DocumentModel } from '../../document/document-model.ts';
import { freeName, nameProblem } from './names.ts';

function modelOf(...names: string[]): DocumentModel {
  const components = names.map((name) => ({ name, api: 'core:component:motor', model: 'fake' }));
  const read = readDocument(
    JSON.stringify({ components, modules: [{ name: 'acme_env', type: 'local' }], remotes: [{ name: 'second' }] }),
  );
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}
const t = createTexts();

describe('a free name', () => {
  it('has the first number that is not taken', () => {
    expect(freeName(modelOf(), 'motor')).toBe('motor-1');
    expect(freeName(modelOf('motor-1', 'motor-2'), 'motor')).toBe('motor-3');
    expect(freeName(modelOf('left'), 'left', 2)).toBe('left-2');
    expect(freeName(modelOf('motor-1', 'motor-2'), 'motor-1', 2)).toBe('motor-3');
  });

  it('is not too long for a wish of maximum length', () => {
    expect(freeName(modelOf(), 'm'.repeat(60)).length).toBeLessThanOrEqual(60);
  });
});

describe('the problem of a name', () => {
  const model = modelOf('left');
  const [left] = model.entries;

  it.each([
    ['', 'Enter a name.'],
    ['my motor', 'A name has no spaces: use - or _ between words.'],
    ['-x', 'A name starts with a letter or a digit, not with “-”.'],
    ['a:b', 'A name has letters a to z, digits, - and _, no “:”.'],
    ['größe', 'A name has letters a to z, digits, - and _, no “ö”.'],
    ['m'.repeat(61), 'Too long: 61 characters. A name has at most 60.'],
    ['left', 'left already exists. Choose another name.'],
    ['acme_env', ''],
    ['second', ''],
    ['right', ''],
  ])('%s: %s', (name, problem) => {
    expect(nameProblem(name, model, 'components', undefined, t)).toBe(problem);
  });

  it('is none if only the entry itself has the name', () => {
    expect(nameProblem('left', model, 'components', left, t)).toBe('');
  });

  it('of a module follows the rules for modules', () => {
    expect(nameProblem('parent', model, 'modules', undefined, t)).toContain('reserved');
    expect(nameProblem('m'.repeat(61), model, 'modules', undefined, t)).toBe('');
    expect(nameProblem('left', model, 'modules', undefined, t)).toBe('');
    expect(nameProblem('acme_env', model, 'modules', undefined, t)).toContain('already');
  });

  it('of a remote is that another remote has it', () => {
    expect(nameProblem('second', model, 'remotes', undefined, t)).toContain('already');
    expect(nameProblem('left', model, 'remotes', undefined, t)).toBe('');
    expect(nameProblem('m'.repeat(61), model, 'remotes', undefined, t)).toContain('61 characters');
  });
});
