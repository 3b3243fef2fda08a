import { describe, expect, it } from 'vitest';
import { builtinCatalog } from '../../models/catalog.ts';
import starter from '../../../../proto/config/starter.json' with { type: 'json' };
import { parseConfig } from '../reading/parse-config.ts';

const board = { name: 'bench', api: 'core:component:board', model: 'fake', attributes: { fail_new: false } };
const encoder = {
  name: 'enc',
  api: 'core:component:encoder',
  model: 'incremental',
  attributes: { board: 'bench', pins: { a: '16', b: '18' } },
};

function problemsOf(components: readonly object[]) {
  return parseConfig(JSON.stringify({ components }), { file: '', environment: {}, catalog: builtinCatalog }).problems;
}

describe('wiring', () => {
  it('tells of interrupts that the board does not have, at the pin, as the board itself would; the text may be applied', () => {
    expect(problemsOf([board, encoder])).toMatchObject([
      {
        pointer: '/components/1/attributes/pins/a',
        severity: 'warning',
        code: 'attribute.no_interrupt',
        message: 'component "enc": Board "bench" has no digital interrupt "16"; it has none.',
        found: '"16"',
      },
      { pointer: '/components/1/attributes/pins/b' },
    ]);
  });

  it('tells of nothing where the board is disabled, wrong, missing or of another kind: that is told by itself', () => {
    const codes = (...components: readonly object[]): string[] => problemsOf(components).map(({ code }) => code);
    expect(codes({ ...board, disabled: true }, encoder)).toEqual(['dependency.disabled']);
    expect(codes(encoder)).toEqual(['dependency.missing']);
    expect(codes({ ...board, attributes: { fail_new: 7 } }, encoder)).toEqual(['attribute.wrong_type']);
    expect(codes(board, { ...encoder, disabled: true })).toEqual([]);
  });

  it('tells both users of a PWM chip with one clock that they want different frequencies', () => {
    const pins = ['s0', 's1'].map((name, pwm_id) => ({ name, pwm_chip_sysfs_dir: 'pca9685', pwm_id }));
    const servo = (name: string, attributes: object) => ({
      name,
      api: 'core:component:servo',
      model: 'gpio',
      attributes: { board: 'hat', ...attributes },
    });
    const hat = { name: 'hat', api: 'core:component:board', model: 'linux', attributes: { pins } };
    const both = [servo('pan', { pin: 's0' }), servo('tilt', { pin: 's1', frequency_hz: 60 })];
    expect(problemsOf([hat, ...both]).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/components/1/attributes/frequency_hz attribute.conflict',
      '/components/2/attributes/frequency_hz attribute.conflict',
    ]);
    expect(problemsOf([hat, both[0]!, { ...both[1], disabled: true }])).toEqual([]);
  });

  it('finds nothing wrong with the configuration to start with', () => {
    expect(problemsOf(starter.components)).toEqual([]);
  });
});
