import { ScalarType, type DescEnum, type DescField, type DescMessage, type DescOneof } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';

/** The input of one value of a message. */
export type ValueInput =
  | { readonly kind: 'text' }
  /** Bounds included. Integers of 64 bits are strings in JSON, because JSON numbers have only 53 bits. */
  | { readonly kind: 'whole'; readonly minimum: bigint; readonly maximum: bigint; readonly isString: boolean }
  | { readonly kind: 'decimal'; readonly largest: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly names: readonly string[] }
  | { readonly kind: 'bytes' }
  /** A point in time; RFC 3339 in JSON. */
  | { readonly kind: 'time' }
  /** Seconds; `3.5s` in JSON. */
  | { readonly kind: 'duration' }
  /** Any JSON: an object, a list, or any value. */
  | { readonly kind: 'json'; readonly empty: 'object' | 'list' | 'null' }
  | { readonly kind: 'message'; readonly message: DescMessage };

/** A field of a request, by its name in the proto file. */
export interface FormField {
  readonly name: string;
  /** As in the proto file: `uint32`, `repeated acme.v1.Finger`, `map<string, double>`. */
  readonly typeName: string;
  readonly input: ValueInput;
  readonly shape: 'one' | 'list' | 'map';
  /** Input of the keys of a map. */
  readonly keyInput: ValueInput | undefined;
  /** Whether an absent field differs from one with the default value: 0, "", false. */
  readonly hasPresence: boolean;
}

export type FormItem =
  | { readonly kind: 'field'; readonly field: FormField }
  /** One of these, or none. */
  | { readonly kind: 'oneof'; readonly name: string; readonly fields: readonly FormField[] };

/** The form of a message. Nested messages are read when they are shown: a type may contain itself. */
export function formOf(message: DescMessage): readonly FormItem[] {
  return message.members.map((member) =>
    member.kind === 'oneof'
      ? { kind: 'oneof', name: member.name, fields: (member satisfies DescOneof).fields.map(fieldOf) }
      : { kind: 'field', field: fieldOf(member) },
  );
}

const whole = (minimum: bigint, maximum: bigint, isString = false): ValueInput => ({
  kind: 'whole',
  minimum,
  maximum,
  isString,
});
const int32 = whole(-(2n ** 31n), 2n ** 31n - 1n);
const uint32 = whole(0n, 2n ** 32n - 1n);
const int64 = whole(-(2n ** 63n), 2n ** 63n - 1n, true);
const uint64 = whole(0n, 2n ** 64n - 1n, true);
const largestFloat = (2 - 2 ** -23) * 2 ** 127;

const scalarInputs: Readonly<Record<ScalarType, ValueInput>> = {
  [ScalarType.DOUBLE]: { kind: 'decimal', largest: Number.MAX_VALUE },
  [ScalarType.FLOAT]: { kind: 'decimal', largest: largestFloat },
  [ScalarType.INT64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.INT32]: int32,
  [ScalarType.FIXED64]: uint64,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.BOOL]: { kind: 'boolean' },
  [ScalarType.STRING]: { kind: 'text' },
  [ScalarType.BYTES]: { kind: 'bytes' },
  [ScalarType.UINT32]: uint32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.SINT32]: int32,
  [ScalarType.SINT64]: int64,
};

/** Messages that are a single value in JSON. */
const wellKnownInputs: ReadonlyMap<string, ValueInput> = new Map<string, ValueInput>([
  ['google.protobuf.Timestamp', { kind: 'time' }],
  ['google.protobuf.Duration', { kind: 'duration' }],
  ['google.protobuf.FieldMask', { kind: 'text' }],
  ['google.protobuf.Struct', { kind: 'json', empty: 'object' }],
  ['google.protobuf.ListValue', { kind: 'json', empty: 'list' }],
  ['google.protobuf.Value', { kind: 'json', empty: 'null' }],
  ['google.protobuf.Any', { kind: 'json', empty: 'object' }],
  ['google.protobuf.BoolValue', scalarInputs[ScalarType.BOOL]],
  ['google.protobuf.StringValue', scalarInputs[ScalarType.STRING]],
  ['google.protobuf.BytesValue', scalarInputs[ScalarType.BYTES]],
  ['google.protobuf.DoubleValue', scalarInputs[ScalarType.DOUBLE]],
  ['google.protobuf.FloatValue', scalarInputs[ScalarType.FLOAT]],
  ['google.protobuf.Int32Value', int32],
  ['google.protobuf.UInt32Value', uint32],
  ['google.protobuf.Int64Value', int64],
  ['google.protobuf.UInt64Value', uint64],
]);

function fieldOf(field: DescField): FormField {
  const { name } = field;
  const [input, typeName] = inputOf(field);
  const one = { name, input, keyInput: undefined };
  switch (field.fieldKind) {
    case 'list':
      return { ...one, shape: 'list', typeName: `repeated ${typeName}`, hasPresence: false };
    case 'map': {
      const key = ScalarType[field.mapKey].toLowerCase();
      const keyInput = scalarInputs[field.mapKey];
      return { ...one, shape: 'map', keyInput, typeName: `map<${key}, ${typeName}>`, hasPresence: false };
    }
    default:
      return { ...one, shape: 'one', typeName, hasPresence: field.presence !== FeatureSet_FieldPresence.IMPLICIT };
  }
}

function inputOf(field: DescField): readonly [ValueInput, string] {
  if (field.message !== undefined) {
    const { typeName } = field.message;
    return [wellKnownInputs.get(typeName) ?? { kind: 'message', message: field.message }, typeName];
  }
  if (field.enum !== undefined) return [choiceOf(field.enum), field.enum.typeName];
  return [scalarInputs[field.scalar], ScalarType[field.scalar].toLowerCase()];
}

function choiceOf(type: DescEnum): ValueInput {
  // This enum has one value, which is null in JSON.
  if (type.typeName === 'google.protobuf.NullValue') return { kind: 'json', empty: 'null' };
  return { kind: 'choice', names: type.values.map(({ name }) => name) };
}
