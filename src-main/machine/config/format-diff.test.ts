import { describe, expect, it } from 'vitest';
import { board, configOf, motor, sensor } from './config.fixture.ts';
import { formatDiff } from './format-diff.ts';

const diff = (from: object | undefined, to: object, reveal = false): string =>
  formatDiff(from === undefined ? undefined : configOf(from), configOf(to), { reveal });

describe('difference as text', () => {
  it('shows changed items with the lines around the change', () => {
    expect(diff({ components: [board(), motor()] }, { components: [board(), motor('left', { max_rpm: 120 })] })).toBe(
      [
        'core:component:motor/left',
        '  ...',
        '        "b": "2"',
        '      },',
        '-     "max_rpm": 100',
        '+     "max_rpm": 120',
        '    },',
        '    "dependsOn": [],',
        '  ...',
      ].join('\n'),
    );
  });

  it('is empty for equal configurations', () => {
    expect(diff({ components: [board()] }, { components: [board()] })).toBe('');
  });

  it('shows what came and what went', () => {
    const text = diff({ components: [board('a')] }, { components: [board('b')] });
    expect(text).toContain('core:component:board/a\n- {');
    expect(text).toContain('core:component:board/b\n+ {');
  });

  const secrets = (value: string): object => ({
    components: [board('bench', { token: value }), sensor('s', { readings: '${environment.HOME}' })],
    modules: [{ name: 'm', type: 'registry', module_id: 'a:b', version: 'latest', env: { PASS: value } }],
    auth: { handlers: [{ type: 'api-key', config: { k1: value, keys: ['k1'] } }] },
  });

  it('masks keys, module environment and what placeholders brought in, and still shows that they changed', () => {
    const text = diff(secrets('old-one'), secrets('new-one'));
    expect(text).not.toMatch(/old-one|new-one/);
    expect(text.match(/\*\*\* \(changed\)/g)).toHaveLength(3);
    expect(diff(undefined, secrets('old-one'))).not.toMatch(/old-one|\/home\/one/);
  });

  it('reveals them where asked to', () => {
    expect(diff(secrets('old-one'), secrets('new-one'), true).match(/old-one|new-one/g)).toHaveLength(6);
  });
});
