import fc from 'fast-check';
import { fromJson, toBinary, type DescMessage, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { everythingFiles, everythingService } from './everything.fixture.ts';
import { decodeJson, encodeJson, spellJson } from './message-json.ts';
import { formOf, type FormField, type ValueInput } from './request-form.ts';
import { readService } from './service-model.ts';
import { parseText, textOf, type BytesNotation } from './value-text.ts';

const { methods, registry } = readService(everythingService, everythingFiles());
const everything = methods[0]?.input as DescMessage;

const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => btoa(String.fromCharCode(...bytes)));
// JSON itself does not keep a negative zero.
const decimals = fc.double().map((value) => (Number.isFinite(value) ? value + 0 : String(value)));
// No key ends in a backslash: after one, V8's JSON.parse misreads other escaped keys as it (nodejs/node#63785).
const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !JSON.stringify(value).includes('\\\\":'))
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('"__proto__"', '"proto"')) as JsonValue);

function valueOf(input: ValueInput, typeName: string, depth: number): fc.Arbitrary<JsonValue> {
  switch (input.kind) {
    case 'text':
      return typeName.includes('FieldMask')
        ? fc.array(fc.constantFrom('a', 'fingers.side', 'mode'), { maxLength: 2 }).map((paths) => paths.join(','))
        : fc.string();
    case 'whole':
      return fc
        .bigInt({ min: input.minimum, max: input.maximum })
        .map((value) => (input.isString ? String(value) : Number(value)));
    case 'decimal':
      return input.largest < Number.MAX_VALUE
        ? fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
        : decimals;
    case 'boolean':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...input.names);
    case 'bytes':
      return base64;
    case 'time':
      return fc
        .date({ min: new Date(0), max: new Date('2900-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    case 'duration':
      return fc
        .tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 0, max: 999 }))
        .map(([seconds, ms]) => `${seconds}.${String(ms).padStart(3, '0')}s`);
    case 'json':
      if (input.empty === 'object') return fc.dictionary(fc.constantFrom('a', 'b'), json);
      return input.empty === 'list' ? fc.array(json, { maxLength: 3 }) : json;
    case 'message':
      return messageOf(input.message, depth - 1);
  }
}

function fieldOf(field: FormField, depth: number): fc.Arbitrary<JsonValue> {
  const one = valueOf(field.input, field.typeName, depth);
  if (field.shape === 'one') return one;
  if (field.shape === 'list') return fc.array(one, { maxLength: 2 });
  const key = valueOf(field.keyInput ?? { kind: 'text' }, '', depth).map(String);
  return fc.dictionary(
    key.filter((text) => text !== '__proto__' && !text.endsWith('\\')),
    one,
    { maxKeys: 2 },
  );
}

/** A message in JSON, with a few of its fields. */
function messageOf(message: DescMessage, depth: number): fc.Arbitrary<JsonObject> {
  if (depth <= 0) return fc.constant({});
  const fields = formOf(message).flatMap((item) => (item.kind === 'field' ? [item.field] : []));
  const choices = formOf(message).flatMap((item) => (item.kind === 'oneof' ? item.fields : []));
  return fc
    .tuple(fc.subarray(fields, { maxLength: 6 }), fc.subarray(choices, { maxLength: 1 }))
    .chain(([some, choice]) =>
      fc.record(Object.fromEntries([...some, ...choice].map((field) => [field.name, fieldOf(field, depth)]))),
    );
}

/** The value after a person has typed again what each field of the form shows. */
function retyped(message: DescMessage, value: JsonObject, notation: BytesNotation): JsonObject {
  const typed: JsonObject = {};
  for (const item of formOf(message)) {
    for (const field of item.kind === 'field' ? [item.field] : item.fields) {
      const held = value[field.name];
      if (held === undefined) continue;
      const again = (one: JsonValue): JsonValue => retypedValue(field.input, one, notation);
      if (field.shape === 'list') typed[field.name] = (held as JsonValue[]).map(again);
      else if (field.shape === 'map') {
        typed[field.name] = Object.fromEntries(
          Object.entries(held as JsonObject).map(([key, one]) => [key, again(one)]),
        );
      } else typed[field.name] = again(held);
    }
  }
  return typed;
}

function retypedValue(input: ValueInput, value: JsonValue, notation: BytesNotation): JsonValue {
  // A switch and a choice keep their value; a nested form is handled recursively.
  if (input.kind === 'boolean' || input.kind === 'choice') return value;
  if (input.kind === 'message') return retyped(input.message, value as JsonObject, notation);
  const parsed = parseText(input, textOf(input, value, notation), notation);
  if ('problem' in parsed) throw new Error(`${JSON.stringify(value)} is ${JSON.stringify(parsed.problem)}`);
  return parsed.value;
}

describe('a request', () => {
  it('is the same message after every field of its form was typed again, in both notations of bytes', () => {
    fc.assert(
      fc.property(messageOf(everything, 2), fc.constantFrom<BytesNotation>('hex', 'base64'), (given, notation) => {
        const spelled = spellJson(everything, given, registry) as JsonObject;
        const again = retyped(everything, spelled, notation);
        expect(again).toEqual(spelled);
        // Compared as bytes, because as values NaN does not equal itself.
        const [before, after] = [given, again].map((value) =>
          toBinary(everything, fromJson(everything, value, { registry })),
        );
        expect(after).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same in bytes and back', () => {
    fc.assert(
      fc.property(messageOf(everything, 2), (given) => {
        const spelled = spellJson(everything, given, registry);
        expect(decodeJson(everything, encodeJson(everything, given, registry), registry)).toEqual(spelled);
      }),
      { numRuns: 300 },
    );
  });
});
