import { describe, expect, it } from 'vitest';
import { emptyModel, readDocument } from '../../document/document-model.ts';
import type { EntryChange } from '../../document/editing/entry-edits.ts';
import { disabling, levelling } from './bulk-changes.ts';

const read = readDocument(
  JSON.stringify({
    components: [
      { name: 'a' },
      { name: 'b', disabled: true, log_configuration: { level: 'DEBUG' } },
      { name: 'c', log_configuration: { level: 'info', more: 1 } },
      { name: 'd', log_configuration: 'debug' },
    ],
    modules: [{ name: 'm', log_level: 'debug' }],
    remotes: [{ name: 'r' }],
  }),
);
const { entries } = read.kind === 'read' ? read.model : emptyModel;
const said = (changes: readonly EntryChange[]): string[] =>
  changes.map(({ entry, path, value }) => `${entry.name} ${path.join('.')} ${String(value)}`);

describe('a change of several entries', () => {
  it('disables those that are enabled, and the other way round', () => {
    expect(said(disabling(entries, true))).toEqual(['a', 'c', 'd', 'm', 'r'].map((name) => `${name} disabled true`));
    expect(said(disabling(entries, false))).toEqual(['b disabled undefined']);
  });

  it('sets the log level of resources and modules that have another one', () => {
    expect(said(levelling(entries, 'debug'))).toEqual([
      'a log_configuration.level debug',
      'c log_configuration.level debug',
    ]);
    expect(said(levelling(entries, 'warn'))).toContain('m log_level warn');
  });

  it('goes back to the default without leaving an empty object', () => {
    expect(said(levelling(entries, undefined))).toEqual([
      'b log_configuration undefined',
      'c log_configuration.level undefined',
      'm log_level undefined',
    ]);
  });
});
