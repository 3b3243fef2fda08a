import { pointerSteps } from '../text/json-pointer.ts';
import type { JsonSchema, JsonType } from './json-schema.ts';
import { nearest } from '../nearest.ts';

/** A value that breaks a rule of its schema. */
export interface SchemaProblem {
  /** Relative to the value that was validated. */
  readonly pointer: string;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** What is allowed or to be done, after the name and the value in the sentence: `it takes a whole number`. */
  readonly rule: string;
  readonly allowed?: readonly string[];
  /** The nearest allowed value or key, as text. */
  readonly nearest?: string | undefined;
  /** True where the key is wrong, not its value. */
  readonly isAtKey?: boolean;
  /** The key that is missing from the value at `pointer`. */
  readonly missing?: string;
}

/** The problem that each keyword of a schema reports at `pointer`. The machine and the form use the same sentences. */
export const schemaWords = {
  type(schema: JsonSchema, pointer: string): SchemaProblem {
    const types = [schema.type ?? []].flat().map((type) => typeWords[type]);
    return wrong(pointer, 'attribute.wrong_type', `it takes ${types.join(' or ')}`, types);
  },
  required(key: string, pointer: string): SchemaProblem {
    return { ...wrong(pointer, 'attribute.missing', `"${key}" is missing`), missing: key };
  },
  /** `pointer` is that of the object with the unknown key. */
  unknownKey(schema: JsonSchema, key: string, keyPointer: string): SchemaProblem {
    const known = Object.keys(schema.properties ?? {});
    return {
      pointer: keyPointer,
      severity: 'warning',
      code: 'attribute.unknown',
      rule: 'no such attribute is known; it has no effect',
      allowed: known,
      nearest: nearest(key, known),
      isAtKey: true,
    };
  },
  oneOfValues(values: readonly unknown[], found: unknown, pointer: string): SchemaProblem {
    const allowed = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
    const guess = typeof found === 'string' ? nearest(found, allowed) : undefined;
    return { ...wrong(pointer, 'attribute.not_allowed', `it takes ${allowed.join(', ')}`, allowed), nearest: guess };
  },
  range(schema: JsonSchema, found: unknown, pointer: string): SchemaProblem {
    const range = describeRange(schema);
    const limit = typeof found === 'number' ? nearestInRange(schema, found) : undefined;
    return {
      ...wrong(pointer, 'attribute.out_of_range', `it must be ${range}`, [range]),
      nearest: limit === undefined ? undefined : String(limit),
    };
  },
  tooShort(schema: JsonSchema, pointer: string): SchemaProblem {
    const { minLength = 0 } = schema;
    const rule = minLength === 1 ? fillIn(schema, pointer) : `it takes at least ${minLength} characters`;
    return wrong(pointer, 'attribute.too_short', rule);
  },
  tooLong(schema: JsonSchema, pointer: string): SchemaProblem {
    return wrong(pointer, 'attribute.too_long', `it takes at most ${schema.maxLength ?? 0} characters`);
  },
  pattern(schema: JsonSchema, pointer: string): SchemaProblem {
    return wrong(pointer, 'attribute.bad_form', `it must match ${schema.pattern ?? ''}`, [schema.pattern ?? '']);
  },
  tooFewItems(schema: JsonSchema, pointer: string): SchemaProblem {
    return wrong(pointer, 'attribute.too_short', `it takes at least ${schema.minItems ?? 0} entries`);
  },
} as const;

function wrong(pointer: string, code: string, rule: string, allowed?: readonly string[]): SchemaProblem {
  return { pointer, severity: 'error', code, rule, ...(allowed === undefined ? {} : { allowed }) };
}

/** What to do about an empty text: `choose a pin for Channel A`, `enter a name, for example enc_a`. */
function fillIn({ title = '', examples, ...schema }: JsonSchema, pointer: string): string {
  const input = schema['x-input'];
  if (input === 'pin' || input === 'interrupt') {
    return `choose a pin${title === '' || title === 'Pin' ? '' : ` for ${title}`}`;
  }
  if (schema['x-resource'] !== undefined) return 'choose one';
  const example = examples?.find((one) => typeof one === 'string');
  const what = pointer.endsWith('/name') ? 'a name' : 'a value';
  return `enter ${what}${example === undefined ? '' : `, for example ${example}`}`;
}

/**
 * The sentence of a problem: `max_rpm is "fast": it takes a whole number.`
 * `shown` is the value found, as JSON; undefined where there is none to show.
 */
export function schemaSentence(problem: SchemaProblem, shown: string | undefined): string {
  const name = attributeName(problem.pointer);
  const guess = problem.nearest === undefined ? '' : guessHint(problem.nearest);
  if (problem.missing !== undefined) return `${name === '' ? '' : `in ${name}, `}${problem.rule}${guess}.`;
  const value = shown === undefined || problem.isAtKey === true ? '' : ` is ${shown === '""' ? 'empty' : shown}`;
  // A rule about a range already names the limit.
  const hint = problem.code === 'attribute.out_of_range' ? '' : guess;
  return `${name === '' ? 'attributes' : name}${value}: ${problem.rule}${hint}.`;
}

function guessHint(guess: string): string {
  return ` (did you mean ${guess}?)`;
}

/** A pointer as a name in a sentence: `pins.dir`, `analogs[2].pin`. */
export function attributeName(pointer: string): string {
  return (pointerSteps(pointer) ?? [])
    .map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

const typeWords: Readonly<Record<JsonType, string>> = {
  object: 'an object in { }',
  array: 'an array in [ ]',
  string: 'text in double quotes',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/** `from 0 to 1`, `above 0 and at most 1`, `at least 1`. */
export function describeRange(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  const bounds = [
    minimum !== undefined ? `at least ${minimum}` : exclusiveMinimum !== undefined ? `above ${exclusiveMinimum}` : '',
    maximum !== undefined ? `at most ${maximum}` : exclusiveMaximum !== undefined ? `below ${exclusiveMaximum}` : '',
  ];
  return bounds.filter((bound) => bound !== '').join(' and ');
}

/** The limit a number is beyond; undefined where the limit itself is not allowed, or there is none. */
function nearestInRange(schema: JsonSchema, value: number): number | undefined {
  const { minimum, maximum } = schema;
  if (minimum !== undefined && value < minimum) return minimum;
  if (maximum !== undefined && value > maximum) return maximum;
  return undefined;
}
