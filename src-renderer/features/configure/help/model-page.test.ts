import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { plainProblems } from '../../../../proto/config/schema/plain-problems.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { builtinModels, findBuiltinModel } from '../../../shared/builtin-models.ts';
import { createTexts, withTexts } from '../../../shared/text.ts';
import { attributeProblems } from '../form/field-problems.ts';
import { attributeFacts } from './attribute-facts.ts';
import { attributeName, modelOfPage, pageNameOf } from './help-address.ts';
import { helpMessages } from './messages.ts';
import { exampleOf, modelPage } from './model-page.ts';

const named = builtinModels.map((model) => ({ name: pageNameOf(model), model, page: modelPage(model) }));
const pageOf = (name: string) => {
  const model = modelOfPage(name);
  if (model === undefined) throw new Error(`There is no page ${name}.`);
  return modelPage(model);
};

describe('the address of a page', () => {
  it('is that of one model, and names it', () => {
    expect(new Set(named.map(({ name }) => name)).size).toBe(named.length);
    for (const { name, model } of named) {
      expect(modelOfPage(name)).toBe(model);
      expect(name).toMatch(/^[\w-]+$/);
    }
    expect(modelOfPage('no-such')).toBeUndefined();
    expect(modelOfPage('gpio-motor')).toBe(findBuiltinModel('core:component:motor', 'core:builtin:gpio'));
    expect(modelOfPage('fake-generic-service')?.api).toBe('core:service:generic');
  });

  it('names an attribute without positions in lists', () => {
    expect(attributeName(['analogs', 3, 'pin'])).toBe('analogs.pin');
    expect(attributeName(['max_rpm'])).toBe('max_rpm');
  });
});

describe.each(named)('the page $name', ({ model, page }) => {
  it('has a complete example without problems', () => {
    expect(page.examples.length).toBeGreaterThan(0);
    for (const text of page.examples) {
      const { attributes, ...entry } = JSON.parse(text) as Record<string, unknown>;
      expect(Object.keys(entry)).toEqual(['name', 'api', 'model']);
      expect(attributeProblems(model, attributes, '')).toEqual([]);
    }
  });

  it('has a title and a description for each attribute, once', () => {
    const names = page.attributes.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, label, schema } of page.attributes) expect(label, name).toBe(schema.title);
  });

  it('has an example that fits, for each attribute that is no choice', () => {
    for (const { name, schema, example } of page.attributes) {
      if (schema.enum !== undefined || schema.type === 'boolean') continue;
      expect(example, name).toBeDefined();
      expect(plainProblems(schema, example as JsonValue), name).toEqual([]);
    }
  });
});

describe('the page of the gpio motor', () => {
  it('has its pins below it, and nothing that has no effect', () => {
    const page = pageOf('gpio-motor');
    const names = page.attributes.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['board', 'pins', 'pins.dir', 'control_parameters.p']));
    expect(names).not.toContain('ramp_rate');
    const dir = page.attributes.find(({ name }) => name === 'pins.dir');
    expect(dir).toMatchObject({ depth: 1, isRequired: false, example: '35' });
  });
});

describe('the example of an attribute', () => {
  const model = { examples: [{ list: [{ a: 1 }, { b: false }] }, { c: 2 }] };

  it('is its own, else that of a complete example of its model', () => {
    expect(exampleOf(model, { examples: [7] }, ['c'])).toBe(7);
    expect(exampleOf(model, {}, ['c'])).toBe(2);
    expect(exampleOf(model, {}, ['list', 4, 'b'])).toBe(false);
    expect(exampleOf(model, {}, ['list', 'none'])).toBeUndefined();
    expect(exampleOf(model, {}, ['toString'])).toBeUndefined();
  });
});

describe('the facts of an attribute', () => {
  const t = withTexts(createTexts(), helpMessages);
  const words = (schema: JsonSchema) => attributeFacts(schema, t).map(({ label, text }) => `${label}: ${text}`);

  it.each([
    [
      { type: 'integer', minimum: 0, maximum: 9, default: 3, 'x-unit': 'Hz' },
      ['Value: whole number, 0 to 9', 'Unit: Hz', 'Default: 3'],
    ],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 60 }, ['Value: number, more than 0, at most 60']],
    [{ type: 'number', minimum: 0 }, ['Value: number, 0 or more']],
    [{ enum: ['coast', 'brake'], default: 'coast' }, ['Value: one of coast, brake', 'Default: coast']],
    [
      { type: 'boolean', default: false, 'x-words': ['as wired', 'flipped'] },
      ['Value: false (as wired) or true (flipped)', 'Default: as wired (false)'],
    ],
    [{ type: 'string', 'x-resource': 'core:component:power_sensor' }, ['Value: power sensor, by its name']],
    [{ type: 'string', 'x-input': 'pin' }, ['Value: board pin, as text']],
    [{ type: 'array', items: { type: 'string' } }, ['Value: list, each item a text']],
    [{ type: 'array', items: { type: 'object' } }, ['Value: list']],
    [{ type: 'object' }, ['Value: group of attributes']],
    [{}, []],
  ] as const)('of %j are %j', (schema, facts) => {
    expect(words(schema)).toEqual(facts);
  });
});
