import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitsSchema } from './fits-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import type { JsonValue } from '../text/json-text.ts';

const keys = ['a', 'b', 'toString'] as const;
const key = fc.constantFrom(...keys);
const small = fc.integer({ min: -2, max: 3 });
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 1 });

/** Schemas of a few levels: each level of objects, arrays and choices takes one. */
function schemaOf(levels: number): fc.Arbitrary<JsonSchema> {
  const plain = {
    type: optional(
      fc.oneof(
        fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null'),
        fc.uniqueArray(fc.constantFrom('object', 'string', 'number'), { minLength: 1 }),
      ),
    ),
    minimum: optional(small),
    exclusiveMaximum: optional(small),
    minLength: optional(fc.nat({ max: 2 })),
    maxLength: optional(fc.nat({ max: 2 })),
    minItems: optional(fc.nat({ max: 2 })),
    enum: optional(fc.uniqueArray(fc.oneof(small, key, fc.boolean()), { minLength: 1, maxLength: 3 })),
    required: optional(fc.uniqueArray(key, { maxLength: 1 })),
    'x-unit': fc.constant('rpm'),
  };
  const inner = levels > 0 ? schemaOf(levels - 1) : undefined;
  const nested =
    inner === undefined
      ? {}
      : {
          properties: optional(fc.dictionary(key, inner, { maxKeys: 2 })),
          additionalProperties: optional(fc.oneof(fc.boolean(), inner)),
          items: optional(inner),
          anyOf: optional(fc.array(inner, { minLength: 1, maxLength: 2 })),
          allOf: optional(fc.array(inner, { minLength: 1, maxLength: 2 })),
        };
  return fc.record({ ...plain, ...nested }).map((one) => JSON.parse(JSON.stringify(one)) as JsonSchema);
}

const { value: someValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    small,
    fc.constantFrom(0.5, '', 'a', 'ab', '😀😀', true, null),
    fc.array<JsonValue>(tie('value'), { maxLength: 2 }),
    fc.dictionary<string, JsonValue>(key, tie('value'), { maxKeys: 2, noNullPrototype: true }),
  ),
}));

it('says of every value what the full validator says', () => {
  const ajv = new Ajv2020({ strict: false, addUsedSchema: false });
  let fitting = 0;
  fc.assert(
    fc.property(schemaOf(2), someValue, (schema, value) => {
      const isValid = ajv.compile(schema)(value);
      const fits = fitsSchema(schema, value);
      if (fits) fitting++;
      expect(fits).toBe(isValid);
    }),
    { numRuns: 1_500 },
  );
  expect(fitting).toBeGreaterThan(50);
}, 60_000);

it.each<JsonSchema>([{ uniqueItems: true }, { pattern: '.' }, { oneOf: [{}] }, { not: { const: 1 } }])(
  'leaves %j to the full validator',
  (schema) => {
    expect(fitsSchema(schema, [])).toBe(false);
  },
);
