import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { builtinCatalog } from '../../models/catalog.ts';
import { plainProblems } from '../../../../proto/config/schema/plain-problems.ts';
import { schemaProblems } from './schema-problems.ts';

const anything = fc.constantFrom<JsonValue>(null, true, 0, -1, 0.5, 70_000, '', 'a', '12', [], {}, { a: '1' });

/** Values close to those of a schema: mostly valid, with some mistakes. */
function near(schema: JsonSchema): fc.Arbitrary<JsonValue> {
  const { properties, items } = schema;
  if (properties !== undefined) {
    const known = Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, near(one)]));
    const some = fc.record({ ...known, max_rmp: fc.constant<JsonValue>(1) }, { requiredKeys: [] });
    return fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: anything });
  }
  if (items !== undefined) {
    return fc.oneof(
      { weight: 9, arbitrary: fc.array(near(items), { maxLength: 2 }) },
      { weight: 1, arbitrary: anything },
    );
  }
  return anything;
}

it.each(builtinCatalog.entries())(
  'the page says of the attributes of $api $model what the machine says',
  ({ schema }) => {
    const told = (problems: ReturnType<typeof schemaProblems>): readonly string[] =>
      problems.map((problem) => JSON.stringify(problem)).toSorted();
    fc.assert(
      fc.property(near(schema), (value) => {
        expect(told(plainProblems(schema, value))).toEqual([...new Set(told(schemaProblems(schema, value)))]);
      }),
    );
  },
);
