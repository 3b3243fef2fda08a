import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../shared/machine/machine-view.ts';
import { createTexts } from '../../../shared/text.ts';
import { documentChanges } from '../document/editing/document-changes.ts';
import { emptyModel, readDocument, type DocumentModel } from '../document/document-model.ts';
import { changesWithoutPlan, problemPlaces } from './bar-words.ts';

const text = createTexts();

function modelOf(components: readonly object[]): DocumentModel {
  const read = readDocument(JSON.stringify({ components }));
  return read.kind === 'read' ? read.model : emptyModel;
}

const motor = (name: string, rpm = 100): object => ({
  name,
  api: 'core:component:motor',
  model: 'gpio',
  attributes: { max_rpm: rpm },
});

function said(before: readonly object[], after: readonly object[]): string {
  const model = modelOf(after);
  const { changes, removed, isReordered } = documentChanges(modelOf(before), model);
  const changeOf = (name: string) => changes.get(name);
  return changesWithoutPlan({ model, removedEntries: removed, changeOf, isReordered }, text);
}

const problem = (pointer: string, line = 1): Problem => ({
  file: '',
  line,
  column: 1,
  pointer,
  severity: 'error',
  code: 'attribute.out_of_range',
  message: '',
});

describe('the bar without a plan', () => {
  it('names a single changed resource, counts several, and has a general sentence for settings', () => {
    expect(said([motor('left')], [motor('left', 120)])).toBe('Change to left');
    expect(said([motor('left')], [])).toBe('Change to left');
    expect(said([motor('left')], [motor('left', 120), motor('right')])).toBe('Changes to 2 resources');
    expect(said([motor('left')], [motor('left')])).toBe('Changes that are not applied yet');
  });

  it('says that only the order changes', () => {
    const [left, right] = [motor('left'), motor('right')];
    expect(said([left, right], [right, left])).toBe('Only the order changes');
    expect(said([left, right], [motor('right', 120), left])).toBe('Change to right');
  });

  it('names each place with problems once, by its key and not by its position', () => {
    const found = ['/components/2/attributes/max_power_pct', '/components/3/attributes/max_power_pct', '/log/0'];
    expect(
      problemPlaces(
        found.map((pointer) => problem(pointer)),
        emptyModel,
        text,
      ),
    ).toBe('max_power_pct, log');
    expect(problemPlaces([problem('', 12)], emptyModel, text)).toBe('line 12');
    expect(
      problemPlaces(
        ['/a', '/b', '/c', '/d'].map((pointer) => problem(pointer)),
        emptyModel,
        text,
      ),
    ).toBe('a, b, c, …');
  });

  it('calls a field of a built-in model by its label', () => {
    const encoder = { name: 'enc', api: 'core:component:encoder', model: 'incremental' };
    const model = modelOf([motor('left'), encoder]);
    const found = ['/components/0/attributes/max_rpm', '/components/1/attributes/pins/a', '/components/1/model'];
    expect(
      problemPlaces(
        found.map((pointer) => problem(pointer)),
        model,
        text,
      ),
    ).toBe('Max speed, Channel A, model');
    const missing = { ...problem('/components/0/attributes'), missing: 'max_rpm' };
    expect(problemPlaces([missing], model, text)).toBe('Max speed');
    expect(problemPlaces([{ ...problem('/components/0'), missing: 'name' }], model, text)).toBe('name');
  });
});
