import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../../shared/machine/machine-view.ts';
import { draftOf } from '../config-draft.ts';
import { findEntry, type DocumentEntry } from '../document-model.ts';
import { useDraftEditing, type DraftEditing } from './draft-editing.ts';
import { useEntryEdits } from './entry-edits.ts';
import { findReferences } from '../references.ts';

const text = `{
  "components": [
    { "name": "bench", "api": "core:component:board", "model": "fake" },
    { "name": "left", "api": "core:component:motor", "model": "gpio",
      "attributes": { "board": "bench", "max_rpm": 1.0e2 }, "depends_on": ["core:component:board/bench"] }
  ]
}
`;

function start(): DraftEditing & ReturnType<typeof useEntryEdits> & { find(name: string): DocumentEntry } {
  const editing = useDraftEditing(
    (key) => key,
    () => undefined,
  );
  const document: ConfigDocument = {
    text,
    revision: '1',
    source: 'file',
    path: '',
    isReadOnly: false,
    result: undefined,
  };
  editing.replace(draftOf(document), '');
  const find = (name: string): DocumentEntry => {
    const entry = findEntry(editing.settle().model, name);
    if (entry === undefined) throw new Error(`no ${name}`);
    return entry;
  };
  return { ...editing, ...useEntryEdits(editing, (key) => key), find };
}

describe('edits by forms', () => {
  it('change only the bytes of their place', () => {
    const config = start();
    config.set(['components', 1, 'attributes', 'max_rpm'], 120, 'Maximum speed');
    expect(config.text.value).toBe(text.replace('1.0e2', '120'));
    config.removeEntry(config.find('bench'));
    expect(config.text.value).toBe(text.replace('1.0e2', '120').replace(/\{ "name": "bench".*\n {4}/, ''));
  });

  it('are undo steps in one history with typing; undoing all of them leaves no changes', () => {
    const config = start();
    config.set(['components', 1, 'attributes', 'max_rpm'], 1, 'Maximum speed');
    config.set(['components', 1, 'attributes', 'max_rpm'], 12, 'Maximum speed');
    config.type(`${config.text.value} `);
    config.type(`${config.text.value}\n`);
    config.addEntry('services', { name: 'x' }, 'Add x');
    expect(config.undoLabel.value).toBe('Add x');
    const labels: string[] = [];
    while (config.canUndo.value) {
      labels.push(config.undoLabel.value);
      config.undo();
    }
    expect(labels).toEqual(['Add x', 'history.typing', 'Maximum speed']);
    expect(config.text.value).toBe(text);
    expect(config.hasChanges.value).toBe(false);
    while (config.canRedo.value) config.redo();
    expect(JSON.parse(config.text.value)).toMatchObject({ services: [{ name: 'x' }] });
    expect(config.hasChanges.value).toBe(true);
  });

  it('rename exactly the given places, each in its spelling, as one undo step', () => {
    const config = start();
    const bench = config.find('bench');
    config.rename(bench, 'desk', findReferences(config.settle().model, bench.fullName, 'desk'));
    expect(config.text.value).toBe(text.replaceAll('bench"', 'desk"'));
    config.undo();
    expect(config.text.value).toBe(text);
    config.rename(bench, 'desk', []);
    expect(config.text.value).toBe(text.replace('"name": "bench"', '"name": "desk"'));
  });

  it('duplicate an entry directly after the original, with the same layout', () => {
    const config = start();
    config.duplicateEntry(config.find('left'), 'right');
    expect(config.find('right').index).toBe(2);
    const written = text.slice(config.find('left').from, config.find('left').to);
    expect(config.text.value).toBe(text.replace(written, () => `${written},\n    ${written.replace('left', 'right')}`));
  });

  it('change nothing while the text does not parse; the model stays until it parses again', () => {
    const config = start();
    config.type(text.replace('"model": "fake"', '"model": '));
    expect(config.settle().broken?.line).toBe(3);
    config.set(['debug'], true, 'Debug');
    expect(config.text.value).toBe(text.replace('"model": "fake"', '"model": '));
    expect(config.find('bench').model).toBe('core:builtin:fake');
    config.type(text);
    expect(config.settle().broken).toBeUndefined();
  });

  it('find an entry that has moved since the caller saw it', () => {
    const config = start();
    const left = config.find('left');
    config.removeEntry(config.find('bench'));
    config.removeEntry(left);
    expect(JSON.parse(config.text.value)).toEqual({ components: [] });
  });

  it('change nothing if the entry is gone and another one is at its place', () => {
    const config = start();
    const [bench, left] = [config.find('bench'), config.find('left')];
    config.removeEntry(bench);
    const rest = config.text.value;
    config.removeEntry(bench);
    config.duplicateEntry(bench, 'copy');
    config.rename(bench, 'desk', []);
    expect(config.text.value).toBe(rest);
    expect(config.find('left').name).toBe(left.name);
    config.undo();
    expect(config.text.value).toBe(text);
  });

  it('report the changed text as the place of an undo', () => {
    const config = start();
    config.set(['components', 1, 'attributes', 'max_rpm'], 120, 'Maximum speed');
    config.undo();
    const { from = 0, to = 0 } = config.place.value ?? {};
    expect(text.slice(from, to)).toBe('.0e2');
  });

  it('format the text in one undo step, and say if there is nothing to format or it does not parse', () => {
    const config = start();
    expect(config.format()).toBe('formatted');
    expect(config.text.value).toContain('\n        "max_rpm": 1.0e2\n');
    expect(config.text.value.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    expect(config.format()).toBe('already');
    config.undo();
    expect([config.text.value, config.hasChanges.value]).toEqual([text, false]);
    config.type(`${text},`);
    expect([config.format(), config.text.value]).toEqual(['broken', `${text},`]);
  });
});
