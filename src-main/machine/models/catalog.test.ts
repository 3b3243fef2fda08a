import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtinCatalog } from './catalog.ts';
import { TestBench } from './bench.fixture.ts';
import type { CatalogEntry } from '../catalog/model.ts';
import { schemaProblems } from '../config/checks/schema-problems.ts';
import { parseConfig } from '../config/reading/parse-config.ts';
import { findApi } from '../../apis/all.ts';
import type { Motor } from '../../apis/motor.ts';
import type { JsonObject } from '../../apis/resource.ts';
import type { JsonValue } from '../../../proto/config/text/json-text.ts';
import type { JsonSchema } from '../../../proto/config/schema/json-schema.ts';
import type { ModelSchema } from '../../../proto/config/models/model-schema.ts';

const fixture = readFileSync(new URL('../../../e2e/fixtures/bench.json', import.meta.url), 'utf8');

describe('catalog of built-in models', () => {
  it('has the models of the specification and the rulings, each of an API that is served', () => {
    const names = builtinCatalog.entries().map(({ api, model }) => `${api.split(':').slice(1).join(' ')} ${model}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        'component board core:builtin:fake',
        'component board core:builtin:linux',
        'component encoder core:builtin:fake',
        'component encoder core:builtin:incremental',
        'component encoder core:builtin:single',
        'component generic core:builtin:fake',
        'component motor core:builtin:fake',
        'component motor core:builtin:gpio',
        'component sensor core:builtin:analog',
        'component sensor core:builtin:fake',
        'component sensor core:builtin:file',
        'component servo core:builtin:fake',
        'component servo core:builtin:gpio',
        'service generic core:builtin:fake',
      ]),
    );
    for (const entry of builtinCatalog.entries()) {
      expect(builtinCatalog.find(entry.api, entry.model)).toBe(entry);
      expect(findApi(entry.api)?.isActuator).toBe(entry.isActuator);
    }
    expect(builtinCatalog.find('core:component:motor', 'core:builtin:nope')).toBeUndefined();
    expect(builtinCatalog.apis()).toContain('core:component:board');
  });

  it('lets two instances coexist only where no hardware is behind them', () => {
    const coexisting = builtinCatalog.entries().filter(({ mayCoexist }) => mayCoexist);
    expect(coexisting.map(({ api, model }) => `${api} ${model}`)).toContain('core:component:sensor core:builtin:fake');
    for (const { api, isActuator, schema } of coexisting) {
      expect([api, isActuator, JSON.stringify(schema).includes('x-resource')]).toEqual([api, false, false]);
      expect(api).not.toBe('core:component:board');
    }
  });

  it('has a title for every attribute', () => {
    const untitled = (schema: JsonSchema, path: string): string[] =>
      Object.entries(schema.properties ?? {}).flatMap(([key, child]) => [
        ...(child.title === undefined ? [`${path}/${key}`] : []),
        ...untitled(child, `${path}/${key}`),
        ...(child.items === undefined ? [] : untitled(child.items, `${path}/${key}[]`)),
      ]);
    for (const { api, model, schema } of builtinCatalog.entries()) {
      expect(untitled(schema, `${api} ${model}`)).toEqual([]);
    }
  });

  it('has complete examples of attributes that the machine accepts', () => {
    for (const { api, model, schema, check } of builtinCatalog.entries()) {
      const examples = schema.examples ?? [];
      expect(examples.length, `${api} ${model}`).toBeGreaterThan(0);
      for (const example of examples) {
        expect(schemaProblems(schema, example as JsonValue), `${api} ${model}`).toEqual([]);
        expect(check?.(example as JsonObject) ?? [], `${api} ${model}`).toEqual([]);
      }
    }
  });

  it('has models in an order of their own, and the code of each', async () => {
    const models = builtinCatalog.entries() as readonly (CatalogEntry & ModelSchema)[];
    expect(new Set(models.map(({ order }) => order)).size).toBe(models.length);
    for (const model of models) expect((await model.load()).build).toBeTypeOf('function');
  });

  it.each([
    ['component:board', 'fake', []],
    ['component:board', 'linux', ['analogs', 'pwm_frequency_hz']],
    [
      'component:motor',
      'gpio',
      [
        'max_rpm',
        'pwm_freq',
        'min_power_pct',
        'max_power_pct',
        'ticks_per_rotation',
        'power_slew_per_sec',
        'ramp_rate',
        'position_tolerance_deg',
        'control_parameters',
      ],
    ],
    ['component:motor', 'fake', ['max_rpm', 'min_power_pct', 'max_power_pct']],
    [
      'component:servo',
      'gpio',
      [
        'min_angle_deg',
        'max_angle_deg',
        'starting_position_deg',
        'frequency_hz',
        'min_width_us',
        'max_width_us',
        'pwm_resolution',
        'speed_deg_per_sec',
      ],
    ],
    ['component:servo', 'fake', []],
    ['component:encoder', 'incremental', []],
    ['component:encoder', 'single', []],
    ['component:encoder', 'fake', ['ticks_per_sec', 'ticks_per_rotation', 'update_rate_msec']],
    ['component:sensor', 'analog', ['analog', 'scale', 'offset', 'unit']],
    ['component:sensor', 'file', []],
    ['component:sensor', 'fake', ['readings']],
    ['component:generic', 'fake', []],
    ['service:generic', 'fake', []],
  ])('changes of a %s %s in place: %j', (api, model, inPlace) => {
    expect(builtinCatalog.find(`core:${api}`, `core:builtin:${model}`)?.inPlace).toEqual(inPlace);
  });

  it.each([
    ['component:board', 'fake', { fail_new: false }, []],
    ['component:board', 'linux', { chip: 'gpiochip0' }, []],
    ['component:motor', 'gpio', { encoder: 'wheel', board: 'bench' }, ['bench', 'wheel']],
    ['component:motor', 'gpio', { board: 'bench' }, ['bench']],
    ['component:motor', 'gpio', { board: 'bench', encoder: '' }, ['bench']],
    ['component:motor', 'fake', { encoder: 'wheel' }, ['wheel']],
    ['component:motor', 'fake', { encoder: '' }, []],
    ['component:servo', 'gpio', { board: 'bench', pin: '32' }, ['bench']],
    ['component:servo', 'fake', {}, []],
    ['component:encoder', 'incremental', { board: 'bench', pins: { a: '1', b: '2' } }, ['bench']],
    ['component:encoder', 'single', { board: 'bench', pins: { i: '1' } }, ['bench']],
    ['component:encoder', 'fake', { ticks_per_sec: 1 }, []],
    ['component:sensor', 'analog', { board: 'bench', analog: 'pot' }, ['bench']],
    ['component:sensor', 'file', { path: '/sys/x' }, []],
    ['component:sensor', 'fake', { readings: { board: 'bench' } }, []],
    ['component:generic', 'fake', { board: 'bench' }, []],
    ['service:generic', 'fake', {}, []],
  ])('a %s %s with %j needs %j', (api, model, attributes, required) => {
    const entry = builtinCatalog.find(`core:${api}`, `core:builtin:${model}`);
    expect(entry?.dependencies?.(attributes as unknown as JsonObject)).toEqual({ required, optional: [] });
  });
});

describe('e2e/fixtures/bench.json', () => {
  it('has no problem and builds, and its encoded motor goes where it is sent', async () => {
    const parsed = parseConfig(fixture, { file: 'bench.json', catalog: builtinCatalog, environment: {} });
    expect(parsed.problems).toEqual([]);
    const bench = new TestBench();
    for (const { api, model, name, attributes } of parsed.config?.resources ?? []) {
      await bench.build(api, model.replace('core:builtin:', ''), name, attributes);
    }
    const motor = bench.resource<Motor>('turntable');
    await bench.passUntil(motor.goFor(60, 1));
    expect(await motor.position()).toBeCloseTo(1, 1);
    for (const name of ['left', 'right']) await bench.passUntil(bench.resource<Motor>(name).goFor(100, 0.5));
  });
});
