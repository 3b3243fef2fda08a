import {
  create,
  createFileRegistry,
  fromBinary,
  getOption,
  hasOption,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
} from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/** Which side streams: `one` neither, `answers` the server, `requests` the client, or `both`. */
export type MethodKind = 'one' | 'answers' | 'requests' | 'both';

/** A method, from its descriptor. */
export interface MethodModel {
  readonly name: string;
  /** `/package.Service/Method`, in the spelling of the descriptor. */
  readonly path: string;
  readonly kind: MethodKind;
  readonly input: DescMessage;
  readonly output: DescMessage;
  /** It moves something: the machine ties the resource to the caller's session and stops it when the session ends. */
  readonly isSafetyMonitored: boolean;
}

export interface ServiceModel {
  readonly methods: readonly MethodModel[];
  /** All types of the service's files, to look up `google.protobuf.Any` and extensions. */
  readonly registry: FileRegistry;
}

const kinds = {
  unary: 'one',
  server_streaming: 'answers',
  client_streaming: 'requests',
  bidi_streaming: 'both',
} as const satisfies Record<DescMethod['methodKind'], MethodKind>;

const monitoredOption = 84260;

/**
 * The methods of a service.
 * @param files serialized FileDescriptorProtos: the service's file and all its imports, in any order
 * @throws an Error whose message says what is missing
 */
export function readService(name: string, files: readonly Uint8Array[]): ServiceModel {
  const registry = registryOf(files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes)));
  const service = registry.getService(name);
  if (service === undefined) throw new Error(`The machine's descriptors do not define ${name}.`);
  const methods = service.methods.map((method) => ({
    name: method.name,
    path: `/${service.typeName}/${method.name}`,
    kind: kinds[method.methodKind],
    input: method.input,
    output: method.output,
    isSafetyMonitored: isSafetyMonitored(method, registry),
  }));
  return { methods, registry };
}

/** Makes a registry, which needs each file once and after its imports. */
function registryOf(files: readonly FileDescriptorProto[]): FileRegistry {
  const byName = new Map(files.map((file) => [file.name, file]));
  const ordered = new Set<FileDescriptorProto>();
  const visit = (file: FileDescriptorProto, importers: readonly string[]): void => {
    if (ordered.has(file)) return;
    if (importers.includes(file.name)) throw new Error(`The proto file ${file.name} imports itself.`);
    for (const name of file.dependency) {
      const imported = byName.get(name);
      if (imported === undefined) throw new Error(`The machine did not send ${name}, which ${file.name} imports.`);
      visit(imported, [...importers, file.name]);
    }
    ordered.add(file);
  };
  for (const file of byName.values()) visit(file, []);
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...ordered] }));
}

/** Looks the option up by its number, because its name depends on the vendor. */
function isSafetyMonitored(method: DescMethod, registry: FileRegistry): boolean {
  for (const type of registry) {
    if (type.kind !== 'extension' || type.number !== monitoredOption) continue;
    if (type.extendee.typeName === 'google.protobuf.MethodOptions' && hasOption(method, type)) {
      return getOption(method, type) === true;
    }
  }
  return false;
}
