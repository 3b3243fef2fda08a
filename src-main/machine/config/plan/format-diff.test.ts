import { describe, expect, it } from 'vitest';
import { board, configOf, motor } from '../config.fixture.ts';
import { formatDiff } from './format-diff.ts';

const diff = (from: object, to: object): string => formatDiff(configOf(from), configOf(to));

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

  it('shows attributes and the environment of modules as they are', () => {
    const document = (value: string): object => ({
      components: [board('bench', { token: value })],
      modules: [{ name: 'm', type: 'registry', module_id: 'a:b', version: 'latest', env: { PASS: value } }],
    });
    expect(diff(document('old-one'), document('new-one')).match(/old-one|new-one/g)).toHaveLength(4);
  });

  it('never shows a key that opens the machine, and still shows that it changed', () => {
    const auth = (keys: Record<string, string>): object => ({
      auth: { handlers: [{ type: 'api-key', config: { ...keys, keys: Object.keys(keys) } }] },
    });
    const text = diff(auth({ k1: 'old-one', k2: 'same-one' }), auth({ k1: 'new-one', k2: 'same-one' }));
    expect(text).not.toMatch(/old-one|new-one|same-one/);
    expect(text).toContain('+       "key": "*** (changed)"');
    expect(text.match(/changed/g)).toHaveLength(1);
    expect(diff({}, auth({ k1: 'new-one' }))).not.toContain('new-one');
  });
});
