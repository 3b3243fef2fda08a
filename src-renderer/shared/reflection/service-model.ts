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

/** How many messages go either way: `one` each, a stream of answers, of requests, or both. */
export type MethodKind = 'one' | 'answers' | 'requests' | 'both';

/** A method, as its descriptor tells it. */
export interface MethodModel {
  readonly name: string;
  /** `/package.Service/Method`, in the spelling of the descriptor. */
  readonly path: string;
  readonly kind: MethodKind;
  readonly input: DescMessage;
  readonly output: DescMessage;
  /** The machine ties its resource to the caller's session, and stops it when that ends: it moves something. */
  readonly isSafetyMonitored: boolean;
}

export interface ServiceModel {
  readonly methods: readonly MethodModel[];
  /** Every type of the service's files: what `google.protobuf.Any` and extensions are looked up in. */
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
 * @param files serialized FileDescriptorProtos: the service's file with all it imports, in any order
 * @throws an Error whose sentence says what is missing
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

/** A registry wants each file after those it imports, and each once. */
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

/** The option has one number whoever declares it; its name is the vendor's choice. */
function isSafetyMonitored(method: DescMethod, registry: FileRegistry): boolean {
  for (const type of registry) {
    if (type.kind !== 'extension' || type.number !== monitoredOption) continue;
    if (type.extendee.typeName === 'google.protobuf.MethodOptions' && hasOption(method, type)) {
      return getOption(method, type) === true;
    }
  }
  return false;
}
