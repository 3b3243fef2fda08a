import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../shared/machine/machine-view.ts';
import { readDocument, type DocumentEntry } from '../document/document-model.ts';
import { notReady } from './not-ready.ts';

function entriesOf(...components: readonly object[]): readonly DocumentEntry[] {
  const read = readDocument(JSON.stringify({ components }));
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model.entries;
}

const named = (name: string, more: object = {}): object => ({ name, api: 'core:component:motor', ...more });
const problem = (pointer: string, code: string, severity: Problem['severity'] = 'warning'): Problem => ({
  file: '',
  line: 1,
  column: 1,
  pointer,
  severity,
  code,
  message: '',
});
const neededBy = new Map([
  ['core:component:motor/a', new Set(['core:component:motor/b'])],
  ['core:component:motor/b', new Set(['core:component:motor/c', 'core:component:motor/a'])],
]);

describe('what will not be ready', () => {
  it('is what has such a problem, and all that needs it', () => {
    const entries = entriesOf(named('a'), named('b'), named('c'), named('d'));
    const problems = [problem('/components/0/attributes/pins/a', 'attribute.no_interrupt')];
    expect(notReady(entries, problems, neededBy)).toEqual(['a', 'b', 'c']);
    expect(notReady(entries, [problem('/components/3/attributes', 'config.wrong_type', 'error')], neededBy)).toEqual([
      'd',
    ]);
  });

  it('is nothing for a warning that keeps nothing from running, and nothing that is disabled', () => {
    const entries = entriesOf(named('a'), named('b', { disabled: true }), named('c'));
    expect(notReady(entries, [problem('/components/0/attributes/max_rpm', 'attribute.ignored')], neededBy)).toEqual([]);
    expect(notReady(entries, [problem('/components/0', 'dependency.missing')], neededBy)).toEqual(['a']);
  });
});
