import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { Any } from '../../../../proto/gen/google/protobuf/any.ts';
import { Value } from '../../../../proto/gen/google/protobuf/struct.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import { ArmatureError } from '../../../base/errors.ts';

/** Field 1 of the wrapper types (google/protobuf/wrappers.proto): its default, and how it is read. */
const wrappers: Readonly<Record<string, readonly [empty: unknown, read: (reader: BinaryReader) => unknown]>> = {
  BoolValue: [false, (reader) => reader.bool()],
  Int32Value: [0, (reader) => reader.int32()],
  UInt32Value: [0, (reader) => reader.uint32()],
  Int64Value: [0, (reader) => Number(reader.int64())],
  UInt64Value: [0, (reader) => Number(reader.uint64())],
  FloatValue: [0, (reader) => reader.float()],
  DoubleValue: [0, (reader) => reader.double()],
  StringValue: ['', (reader) => reader.string()],
};

/**
 * Parameters of a capture method as JSON with sorted keys, so that equal parameters have equal texts.
 * @throws {ArmatureError} `call.bad_argument` for a type that is neither Value nor a wrapper, and for values that
 *   JSON does not have
 */
export function parametersText(parameters: Readonly<Record<string, Any>>): string {
  const values = Object.entries(parameters).map(([name, any]): [string, unknown] => [name, valueOf(name, any)]);
  return canonicalJson(Object.fromEntries(values));
}

/** Parameters as a message, each as a Value. */
export function parametersMessage(text: string): Record<string, Any> {
  const values = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return Object.fromEntries(
    values.map(([name, value]): [string, Any] => [
      name,
      { typeUrl: 'type.googleapis.com/google.protobuf.Value', value: encodeMessage(Value, Value.wrap(value)) },
    ]),
  );
}

/** JSON with sorted keys in all objects. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function valueOf(name: string, { typeUrl, value: bytes }: Any): unknown {
  const refuse = (why: string): ArmatureError =>
    new ArmatureError('call.bad_argument', `The method parameter "${name.slice(0, 120)}" ${why}.`);
  const type = typeUrl.slice(typeUrl.lastIndexOf('.') + 1);
  const [empty, read] = wrappers[type] ?? [];
  let value: unknown;
  try {
    if (type === 'Value') value = Value.unwrap(Value.decode(bytes)) ?? null;
    else if (read === undefined) throw refuse(`has the type "${typeUrl.slice(0, 120)}": pack a google.protobuf.Value`);
    else value = wrapped(bytes, empty, read);
  } catch (thrown) {
    throw thrown instanceof ArmatureError ? thrown : refuse('cannot be read');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw refuse(`is ${value}, which JSON does not have`);
  return value;
}

function wrapped(bytes: Uint8Array, empty: unknown, read: (reader: BinaryReader) => unknown): unknown {
  const reader = new BinaryReader(bytes);
  let value = empty;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) value = read(reader);
    else reader.skip(type);
  }
  return value;
}
