import type { DescriptorProto, FieldDescriptorProto, FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { listShape, structShape, valueEntryShape, valueShape, type ValueShape } from '../../proto/value-shapes.ts';

const known: readonly (readonly [string, ValueShape])[] = [
  ['.google.protobuf.Value', valueShape],
  ['.google.protobuf.Struct', structShape],
  ['.google.protobuf.ListValue', listShape],
];

/**
 * Finds where the messages of some files have Values.
 * @returns what gives the shape of a type by its full name with a leading dot; undefined for one without any
 */
export function valueShapesOf(files: readonly FileDescriptorProto[]): (type: string) => ValueShape | undefined {
  const messages = new Map<string, DescriptorProto>();
  const add = (message: DescriptorProto, scope: string): void => {
    const name = `${scope}.${message.name}`;
    messages.set(name, message);
    for (const nested of message.nestedType) add(nested, name);
  };
  for (const file of files) {
    for (const message of file.messageType) add(message, file.package === '' ? '' : `.${file.package}`);
  }
  const shapes = new Map<string, ValueShape>(known);
  const withValues = usersOf([...shapes.keys()], messages);
  const shapeOf = (type: string): ValueShape | undefined => {
    const ready = shapes.get(type);
    if (ready !== undefined) return ready;
    const message = messages.get(type);
    if (message === undefined || !withValues.has(type)) return undefined;
    if (message.options?.mapEntry === true && valueType(message.field) === '.google.protobuf.Value') {
      return valueEntryShape;
    }
    const fields = new Map<number, ValueShape>();
    // Known before its fields are: a message may contain itself.
    shapes.set(type, { kind: 'message', fields });
    for (const { number, typeName } of message.field) {
      const shape = shapeOf(typeName);
      if (shape !== undefined) fields.set(number, shape);
    }
    return shapes.get(type);
  };
  return shapeOf;
}

/** The types from which one of these can be reached. */
function usersOf(types: readonly string[], messages: ReadonlyMap<string, DescriptorProto>): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  for (const [name, { field }] of messages) {
    for (const { typeName } of field) users.set(typeName, [...(users.get(typeName) ?? []), name]);
  }
  const found = new Set(types);
  for (const type of found) for (const user of users.get(type) ?? []) found.add(user);
  return found;
}

function valueType(fields: readonly FieldDescriptorProto[]): string | undefined {
  return fields.find(({ number }) => number === 2)?.typeName;
}
