import { describe, expect, it } from 'vitest';
import { builtinCatalog } from '../../models/catalog.ts';
import { parseConfig } from '../reading/parse-config.ts';

const manager = { name: 'data', api: 'core:service:data_manager', model: 'core:builtin:builtin' };

function parse(captureMethods: unknown, { services = [manager], api = 'sensor' } = {}) {
  const attributes = { capture_methods: captureMethods };
  const component = {
    name: 'one',
    api: `rdk:component:${api}`,
    model: 'fake',
    service_configs: [{ type: 'data_manager', attributes }],
  };
  const text = JSON.stringify({ components: [component], services });
  return parseConfig(text, { file: '', environment: {}, catalog: builtinCatalog });
}

const at = '/components/0/service_configs/0/attributes';

describe('what is to be captured', () => {
  it('is right in configurations of the public ecosystem', () => {
    const readings = { method: 'Readings', capture_frequency_hz: 10, additional_params: {}, disabled: false };
    expect(
      parse([{ ...readings, tags: ['a'], retention_policy: { days: 3 }, capture_queue_size: 10 }]).problems,
    ).toEqual([]);
    const { problems } = parse(
      [{ method: 'Analogs', capture_frequency_hz: 1, additional_params: { reader_name: 'a1' } }],
      {
        api: 'board',
      },
    );
    expect(problems.filter(({ pointer }) => pointer.startsWith(at))).toEqual([]);
  });

  it.each([
    [[{ method: 'Reading', capture_frequency_hz: 1 }], '/capture_methods/0/method', 'config.unknown_capture_method'],
    [[{ capture_frequency_hz: 1 }], '/capture_methods/0', 'attribute.missing'],
    [
      [{ method: 'Readings', capture_frequency_hz: -1 }],
      '/capture_methods/0/capture_frequency_hz',
      'attribute.out_of_range',
    ],
    [
      [{ method: 'Readings', capture_frequency_hz: 5_000 }],
      '/capture_methods/0/capture_frequency_hz',
      'attribute.out_of_range',
    ],
    [[{ method: 'Readings', frequency: 5 }], '/capture_methods/0/frequency', 'attribute.unknown'],
    [{ method: 'Readings' }, '/capture_methods', 'attribute.wrong_type'],
    [[{ method: 'DoCommand', capture_frequency_hz: 1 }], '/capture_methods/0', 'config.missing_key'],
  ])('%j is told of at its place, as a warning: the resource itself works', (methods, pointer, code) => {
    const { problems, config } = parse(methods);
    expect(problems.map((problem) => [problem.pointer, problem.severity, problem.code])).toEqual([
      [at + pointer, 'warning', code],
    ]);
    expect(config?.resources[0]?.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('offers the nearest method, and names all', () => {
    const [problem] = parse([{ method: 'Reading', capture_frequency_hz: 1 }]).problems;
    expect(problem).toMatchObject({ nearest: 'Readings', allowed: ['Readings', 'DoCommand'] });
    expect(problem?.message).toBe(
      'component "one": "Reading" cannot be captured of a core:component:sensor, which has Readings, DoCommand; did you mean "Readings"?',
    );
  });

  it('needs a data manager, unless it is off', () => {
    const services: (typeof manager)[] = [];
    const [problem, ...more] = parse([{ method: 'Readings', capture_frequency_hz: 1 }], { services }).problems;
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ pointer: '/components/0/service_configs/0', code: 'config.not_captured' });
    expect(parse([{ method: 'Readings', capture_frequency_hz: 1, disabled: true }], { services }).problems).toEqual([]);
    expect(parse([{ method: 'Readings' }], { services }).problems).toEqual([]);
  });
});
