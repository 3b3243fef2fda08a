import fc from 'fast-check';

/** JSON texts for tests: any value, in an irregular layout. */

export interface OddJson {
  readonly text: string;
  readonly value: unknown;
}

// No key ends in a backslash: after such a key, JSON.parse of V8 misreads other escaped keys (nodejs/node#63785).
const key = fc.oneof(
  fc.constantFrom('name', 'api', 'model', 'a', 'b', 'notes', '', 'x"y', 'a/b', '~', 'a\\b', '{', '[,]'),
  fc.string({ maxLength: 5 }).filter((text) => !text.endsWith('\\')),
);

const leaf: fc.Arbitrary<OddJson> = fc
  .oneof(
    fc.constantFrom('1', '1.0', '1e3', '-0', '1E+2', 'true', 'false', 'null', '0.10', '"\\u00e4"', '"\\/"'),
    fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
  )
  .map((text) => ({ text, value: JSON.parse(text) as unknown }));

/** White space before the tokens of an object or array, generated together with its parts. */
const spaces = fc.array(fc.constantFrom('', '', ' ', '\n', '\r\n', '\t', '\n    ', '  '), {
  minLength: 4,
  maxLength: 4,
});

const { any } = fc.letrec<{ any: OddJson; array: OddJson; object: OddJson }>((tie) => ({
  any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('array'), tie('object')),
  array: fc.tuple(fc.array(tie('any'), { maxLength: 4 }), spaces).map(([items, space]) => arrayOf(items, space)),
  object: fc
    .tuple(fc.uniqueArray(fc.tuple(key, tie('any')), { maxLength: 4, selector: ([name]) => name }), spaces)
    .map(([parts, space]) => objectOf(parts, space)),
}));

function arrayOf(items: readonly OddJson[], [first, before, after, last]: readonly string[]): OddJson {
  const inside = items.map(({ text }) => text).join(`${before},${after}`);
  return { text: `[${first}${inside}${last}]`, value: items.map(({ value }) => value) };
}

function objectOf(
  parts: readonly (readonly [string, OddJson])[],
  [first, before, after, last]: readonly string[],
): OddJson {
  const inside = parts
    .map(([name, { text }]) => `${JSON.stringify(name)}${before}:${after}${text}`)
    .join(`${before},${after}`);
  const value = Object.fromEntries(parts.map(([name, part]) => [name, part.value]));
  return { text: `{${first}${inside}${last}}`, value };
}

export const oddJson: fc.Arbitrary<OddJson> = fc
  .tuple(any, fc.constantFrom('', '\n', '\r\n'))
  .map(([{ text, value }, end]) => ({ text: text + end, value }));

/** The paths of all values in `value`, itself included. */
export function pathsOf(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const parts: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : Object.entries(value);
  return [path, ...parts.flatMap(([step, part]) => pathsOf(part, [...path, step]))];
}
