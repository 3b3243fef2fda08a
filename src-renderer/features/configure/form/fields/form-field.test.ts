import { describe, expect, it } from 'vitest';
import { documentSchema, moduleSchema, resourceSchema } from '../../../../../proto/config/schema/document-schema.ts';
import type { JsonSchema } from '../../../../../proto/config/schema/json-schema.ts';
import type { JsonValue } from '../../../../../proto/config/text/json-text.ts';
import { builtinModels } from '../../../../shared/builtin-models.ts';
import { plainProblems } from '../../../../../proto/config/schema/plain-problems.ts';
import { formShape, kindFor, kindOf, type Field } from './form-field.ts';
import { firstList, firstValue } from './map-keys.ts';
import { initialAttributes } from '../initial-attributes.ts';
import { readDuration, readNumber, stepped } from '../../../../shared/typed-value.ts';

/** Every field of a form with its pointer, including those in groups and cards. */
function fieldsOf(schema: JsonSchema, prefix = ''): readonly (readonly [string, Field])[] {
  // Every key has a value, so that fields that are shown only if set are shown too.
  const all = Object.fromEntries(Object.keys(schema.properties ?? {}).map((key) => [key, undefined]));
  return formShape(schema, all).fields.flatMap((field) => {
    const at = `${prefix}/${field.key}`;
    const inner = field.kind === 'cards' ? field.schema.items : field.schema;
    const isContainer = ['cards', 'group', 'whole-group', 'driver-pins'].includes(field.kind);
    return [[at, field] as const, ...(isContainer && inner !== undefined ? fieldsOf(inner, at) : [])];
  });
}

/** A value that a person could write into a field. */
function writtenBy(field: Field): JsonValue | undefined {
  const { schema, kind } = field;
  const text = 'x'.repeat(Math.max(1, schema.minLength ?? 0));
  switch (kind) {
    case 'number': {
      const read = readNumber(String(stepped(schema, undefined, 1)), schema);
      return read.kind === 'value' ? read.value : undefined;
    }
    case 'duration': {
      const read = readDuration('2s');
      return read.kind === 'value' ? read.value : undefined;
    }
    case 'two-way':
      return true;
    case 'choice':
      return schema.enum?.[0] as JsonValue;
    case 'log-level':
      return 'warn';
    case 'texts':
      return [text];
    case 'numbers':
      return firstList(schema) as JsonValue;
    case 'map': {
      const values = schema.additionalProperties;
      if (typeof values !== 'object') return undefined;
      return { key: values.type === 'string' ? text : firstValue(values) };
    }
    case 'resource':
      return schema['x-input'] === 'full-name' ? 'core:component:sensor/climate' : text;
    case 'text':
    case 'long-text':
    case 'pin':
      return text;
    default:
      return undefined;
  }
}

/** The fields of the machine's settings: `auth` and unknown keys are JSON. */
const settings = [
  'network',
  'log',
  'maintenance',
  'debug',
  'disable_log_deduplication',
  'enable_web_profile',
  'revision',
];
const machine = {
  type: 'object',
  properties: Object.fromEntries(settings.map((key) => [key, documentSchema.properties?.[key] ?? {}])),
} satisfies JsonSchema;

const shownAsJson: Readonly<Record<string, readonly string[]>> = {
  // Readings may be any JSON.
  'core:component:sensor core:builtin:fake': ['/readings'],
};

describe('the form of', () => {
  it.each(builtinModels)('$api $model shows every attribute as a field of its own', ({ model, api, schema }) => {
    const asJson = fieldsOf(schema).flatMap(([at, field]) => (field.kind === 'json' ? [at] : []));
    expect(asJson).toEqual(shownAsJson[`${api} ${model}`] ?? []);
  });

  it('modules and machine-wide settings shows every setting as a field', () => {
    const json = (schema: JsonSchema): readonly string[] =>
      fieldsOf(schema).flatMap(([at, field]) => (field.kind === 'json' ? [at] : []));
    expect(json(moduleSchema)).toEqual(['/status']);
    expect(json(machine)).toEqual([]);
    expect(kindOf(resourceSchema.properties?.['depends_on'] ?? {})).toBe('texts');
  });

  it.each([
    ...builtinModels.map(({ api, model, schema }) => [`${api} ${model}`, schema] as const),
    ['modules', moduleSchema] as const,
    ['the machine', machine] as const,
  ])('%s writes into every field a value that fits, and shows it in the same field', (_, schema) => {
    for (const [at, field] of fieldsOf(schema)) {
      const value = writtenBy(field);
      if (value === undefined || field.kind === 'without-effect') continue;
      const isPattern = field.schema.pattern !== undefined && field.kind === 'text';
      if (!isPattern) expect(plainProblems(field.schema, value), at).toEqual([]);
      expect(kindFor(field.schema, value), at).toBe(field.kind);
      expect(field.label, at).not.toBe('');
    }
  });
});

describe('a value that does not fit its field', () => {
  const board = builtinModels.find(({ api }) => api === 'core:component:board')?.schema ?? {};

  it.each([
    [{ fail_new: 'yes' }, 'fail_new', 'json'],
    [{ analogs: {} }, 'analogs', 'json'],
    [{ analogs: [7] }, 'analogs', 'json'],
    [{ seed: [1] }, 'seed', 'json'],
    [{ seed: 'one' }, 'seed', 'number'],
  ])('%j is shown as it is, and the rest of the form stays', (value, key, kind) => {
    const { fields } = formShape(board, value);
    expect(fields.find((field) => field.key === key)?.kind).toBe(kind);
    expect(fields).toHaveLength(Object.keys(board.properties ?? {}).length);
  });

  const seeing = builtinModels.find(({ api }) => api === 'core:service:vision')?.schema ?? {};
  it.each([
    ['remap_output_names', { boxes: 'location' }, 'map'],
    ['remap_output_names', { boxes: 7 }, 'map'],
    ['remap_output_names', { boxes: ['location'] }, 'json'],
    ['remap_output_names', ['location'], 'json'],
    ['label_confidences', { nut: 0.5 }, 'map'],
    ['input_image_mean_value', [0.5, 0.4], 'numbers'],
    ['input_image_mean_value', [[0.5]], 'json'],
    ['input_image_mean_value', 0.5, 'json'],
  ])('%s of %j is drawn as %s', (key, value, kind) => {
    const { fields } = formShape(seeing, { [key]: value });
    expect(fields.find((field) => field.key === key)?.kind).toBe(kind);
  });

  it('keeps unknown keys', () => {
    expect(formShape(board, { fail_new: false, warp: 9 }).otherKeys).toEqual(['warp']);
  });

  it('shows attributes without effect only if they are set', () => {
    const motor = builtinModels.find(({ model }) => model === 'core:builtin:gpio')?.schema ?? {};
    const kinds = (value: object): readonly string[] => formShape(motor, value).fields.map(({ kind }) => kind);
    expect(kinds({})).not.toContain('without-effect');
    expect(kinds({ ramp_rate: 0.05 })).toContain('without-effect');
  });
});

describe('a new entry', () => {
  it.each(builtinModels)(
    'of $api $model has what is required or asked for, of the right type, and nothing else',
    ({ schema }) => {
      const attributes = initialAttributes(schema);
      expect(Object.keys(attributes)).toEqual([...(schema.required ?? []), ...(schema['x-initial'] ?? [])]);
      const wrong = plainProblems(schema, attributes as JsonValue).filter(({ code }) => code !== 'attribute.too_short');
      expect(wrong).toEqual([]);
    },
  );

  it('writes fail_new of a board, and an analog with every key that hardware has, although they are optional', () => {
    const board = builtinModels.find(({ api }) => api === 'core:component:board')?.schema ?? {};
    expect(initialAttributes(board)).toEqual({ fail_new: false });
    expect(initialAttributes(board.properties?.['analogs']?.items ?? {})).toEqual({
      name: '',
      pin: '',
      chip_select: '',
      spi_bus: '',
    });
  });

  it('names the board if there is only one, and leaves the choice if there are two', () => {
    const motor = builtinModels.find(({ model }) => model === 'core:builtin:gpio')?.schema ?? {};
    expect(initialAttributes(motor, () => ['bench'])).toEqual({ board: 'bench', pins: {} });
    expect(initialAttributes(motor, () => ['bench', 'other'])).toEqual({ board: '', pins: {} });
  });
});
