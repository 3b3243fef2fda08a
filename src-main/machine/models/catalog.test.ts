import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtinCatalog } from './catalog.ts';
import { TestBench } from './bench.fixture.ts';
import { parseConfig } from '../config/parse-config.ts';
import { findApi } from '../../apis/all.ts';
import type { Motor } from '../../apis/motor.ts';
import type { JsonSchema } from '../../../proto/config/json-schema.ts';

const fixture = readFileSync(new URL('../../../e2e/fixtures/bench.json', import.meta.url), 'utf8');

describe('catalog of built-in models', () => {
  it('has the models of the specification and the rulings, each of an API that is served', () => {
    const names = builtinCatalog.entries().map(({ api, model }) => `${api.split(':').slice(1).join(' ')} ${model}`);
    expect(names.toSorted()).toEqual([
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
    ]);
    for (const entry of builtinCatalog.entries()) {
      expect(builtinCatalog.find(entry.api, entry.model)).toBe(entry);
      expect(findApi(entry.api)?.isActuator).toBe(entry.isActuator);
    }
    expect(builtinCatalog.find('core:component:motor', 'core:builtin:nope')).toBeUndefined();
    expect(builtinCatalog.apis()).toContain('core:component:board');
  });

  it('B2.10: lets two instances coexist only where no hardware is behind them', () => {
    const coexisting = builtinCatalog.entries().filter(({ mayCoexist }) => mayCoexist);
    expect(coexisting.map(({ api, model }) => `${api} ${model}`)).toEqual([
      'core:component:sensor core:builtin:file',
      'core:component:sensor core:builtin:fake',
      'core:component:generic core:builtin:fake',
      'core:service:generic core:builtin:fake',
    ]);
  });

  it('has only attributes of the schema in inPlace, and a title for every attribute', () => {
    const untitled = (schema: JsonSchema, path: string): string[] =>
      Object.entries(schema.properties ?? {}).flatMap(([key, child]) => [
        ...(child.title === undefined ? [`${path}/${key}`] : []),
        ...untitled(child, `${path}/${key}`),
        ...(child.items === undefined ? [] : untitled(child.items, `${path}/${key}[]`)),
      ]);
    for (const { api, model, schema, inPlace } of builtinCatalog.entries()) {
      expect(untitled(schema, `${api} ${model}`)).toEqual([]);
      for (const key of inPlace) expect(Object.keys(schema.properties ?? {})).toContain(key);
    }
  });

  it('names what a gpio motor and an encoder need', () => {
    const motor = builtinCatalog.find('core:component:motor', 'core:builtin:gpio');
    expect(motor?.dependencies?.({ board: 'bench' })).toEqual({ required: ['bench'], optional: [] });
    expect(motor?.dependencies?.({ board: 'bench', encoder: 'wheel' })).toEqual({
      required: ['bench', 'wheel'],
      optional: [],
    });
    const encoder = builtinCatalog.find('core:component:encoder', 'core:builtin:incremental');
    expect(encoder?.dependencies?.({ board: 'bench', pins: { a: '1', b: '2' } })).toEqual({
      required: ['bench'],
      optional: [],
    });
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
