import { fromBinary } from '@bufbuild/protobuf';
import { methodTraits, SAFETY_HEARTBEAT_MONITORED } from '../../../proto/method-traits.ts';
import { protoNameIn } from '../../base/dialect.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Method } from '../method.ts';
import type { ForeignService } from '../router.ts';
import {
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
  type MethodDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { listShape, structShape, valueEntryShape, type ValueShape, valueShape } from '../../../proto/value-shapes.ts';

/**
 * A service that another process implements, by its descriptors. Import it only
 * when there is such a service, because it loads the code that reads descriptors.
 * @param name full proto name of the service, in either spelling of ours
 * @param descriptors a serialized `google.protobuf.FileDescriptorSet`: the file of the service with all it imports
 * @throws {ArmatureError} `call.not_found` where the descriptors do not have the service
 */
export function foreignService(name: string, descriptors: Uint8Array): ForeignService {
  const fullName = protoNameIn(name, 'core');
  const files = fromBinary(FileDescriptorSetSchema, descriptors).file;
  for (const file of files) {
    const prefix = file.package === '' ? '' : `${file.package}.`;
    for (const service of file.service) {
      if (protoNameIn(prefix + service.name, 'core') !== fullName) continue;
      const shapeOf = valueShapesOf(files);
      const methods = service.method.map((method) => methodOf(fullName, method, shapeOf(method.outputType)));
      return { fullName, methods, descriptors };
    }
  }
  throw new ArmatureError(
    'call.not_found',
    `The descriptors of the service ${name} do not define it; they hold ${files.map((file) => file.name).join(', ')}.`,
  );
}

function methodOf(service: string, method: MethodDescriptorProto, answerShape: ValueShape | undefined): Method {
  return {
    path: `/${service}/${method.name}`,
    service,
    name: method.name,
    requestStream: method.clientStreaming,
    responseStream: method.serverStreaming,
    traits: { ...methodTraits(service, method.name), moves: isSafetyMonitored(method) },
    // Only the name in the request determines the target of the call.
    hasResource: true,
    requestType: undefined,
    answerShape,
  };
}

/** The option arrives as an unknown field: a varint, and the last one counts. */
function isSafetyMonitored({ options }: MethodDescriptorProto): boolean {
  const value = options?.$unknown?.findLast(({ no }) => no === SAFETY_HEARTBEAT_MONITORED);
  return value !== undefined && value.data.some((byte) => (byte & 0x7f) !== 0);
}

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
    // Set before its fields are visited: a message may contain itself.
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
