import type { JsonObject } from '../../apis/resource.ts';
import type { ModelCatalog } from '../catalog/catalog-type.ts';
import type { AttributeProblem } from '../../../proto/config/models/attribute-problem.ts';
import type { CatalogEntry, Dependencies } from '../catalog/model.ts';
import type { JsonSchema } from '../../../proto/config/schema/json-schema.ts';
import type { MachineConfig, ParsedConfig } from './machine-config.ts';
import { parseConfig } from './reading/parse-config.ts';

/** A small catalog with one model of each kind that the rules distinguish. */
const object = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

function entry(
  api: string,
  model: string,
  schema: JsonSchema,
  rest: Partial<Pick<CatalogEntry, 'inPlace' | 'isActuator' | 'check' | 'dependencies'>>,
): CatalogEntry {
  return {
    api: `core:component:${api}`,
    model: `core:builtin:${model}`,
    summary: `A ${model} ${api}.`,
    schema,
    inPlace: [],
    isActuator: false,
    mayCoexist: false,
    load: () => Promise.reject(new Error('not loaded in these tests')),
    ...rest,
  };
}

function checkPins(attributes: JsonObject): readonly AttributeProblem[] {
  const pins = attributes['pins'] as JsonObject;
  if (!('a' in pins && 'dir' in pins)) return [];
  return [
    { pointer: '/pins/dir', severity: 'error', code: 'motor.pins', message: 'pins a and dir exclude each other' },
  ];
}

function motorNeeds(attributes: JsonObject): Dependencies {
  const required = [attributes['board'], attributes['encoder']].filter((name) => typeof name === 'string');
  return { required, optional: typeof attributes['watch'] === 'string' ? [attributes['watch']] : [] };
}

const entries: readonly CatalogEntry[] = [
  entry('board', 'fake', object({ fail_new: { type: 'boolean' }, token: { type: 'string' } }), {}),
  entry(
    'motor',
    'gpio',
    object(
      {
        board: { type: 'string', minLength: 1, 'x-resource': 'core:component:board' },
        encoder: { type: 'string', 'x-resource': 'core:component:encoder' },
        watch: { type: 'string', 'x-resource': 'core:component:sensor' },
        max_rpm: { type: 'number', exclusiveMinimum: 0, 'x-unit': 'rpm' },
        max_power_pct: { type: 'number', minimum: 0.06, maximum: 1 },
        dir_flip: { type: 'boolean' },
        style: { type: 'string', enum: ['soft', 'hard'] },
        pins: object({
          a: { type: 'string' },
          b: { type: 'string' },
          dir: { type: 'string' },
          pwm: { type: 'string' },
        }),
      },
      ['board', 'pins'],
    ),
    {
      inPlace: ['max_rpm', 'max_power_pct'],
      isActuator: true,
      check: checkPins,
      dependencies: motorNeeds,
    },
  ),
  entry('encoder', 'fake', object({ ticks: { type: 'integer' } }), {}),
  entry(
    'sensor',
    'fake',
    {
      type: 'object',
      properties: {
        readings: {},
        wave: {
          oneOf: [
            { ...object({ sine: { type: 'number' } }, ['sine']), title: 'a sine' },
            { type: 'string', title: 'a name' },
          ],
        },
      },
      additionalProperties: false,
    },
    {},
  ),
];

export const fixtureCatalog: ModelCatalog = {
  entries: () => entries,
  find: (api, model) => entries.find((one) => one.api === api && one.model === model),
  apis: () => [...new Set(entries.map((one) => one.api))].toSorted(),
};

/** An entry of `packages`. */
export const partsPackage = { name: 'parts', package: 'org-1/parts', type: 'ml_model', version: '1.0.0' };

/** Parses a text, or the JSON of a value, with the fixture's catalog and a small environment. */
export function parse(document: unknown, options: { readonly isFile?: boolean } = {}): ParsedConfig {
  const text = typeof document === 'string' ? document : JSON.stringify(document, undefined, 2);
  return parseConfig(text, {
    file: 'bench.json',
    ...options,
    environment: { BOARD: 'bench', HOME: '/home/one', EMPTY: '' },
    catalog: fixtureCatalog,
    packagePath: (_type, name) => `/pkg/${name}`,
  });
}

/** The applicable configuration of a document. */
export function configOf(document: unknown): MachineConfig {
  const { config, problems } = parse(document);
  if (config === undefined) throw new Error(`not applicable: ${problems.map((one) => one.message).join(' ')}`);
  return config;
}

export const board = (name = 'bench', attributes: JsonObject = {}): JsonObject => ({
  name,
  api: 'core:component:board',
  model: 'fake',
  attributes,
});

export const motor = (name = 'left', attributes: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  name,
  api: 'core:component:motor',
  model: 'gpio',
  attributes: { board: 'bench', pins: { a: '1', b: '2' }, max_rpm: 100, ...attributes },
  ...more,
});

export const sensor = (name = 'heat', attributes: JsonObject = {}): JsonObject => ({
  name,
  api: 'core:component:sensor',
  model: 'fake',
  attributes,
});
