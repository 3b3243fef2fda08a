import { fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { protoNameIn } from '../../base/dialect.ts';

interface IndexedFile {
  readonly bytes: Uint8Array;
  readonly dependencies: readonly string[];
}

const OUR_FOLDER = 'core/';
const OUR_PACKAGE = /^core(\.|$)/;

/**
 * Proto files as reflection hands them out: each of ours twice, in both spellings. The second is
 * made by renaming packages, type references and file names; files follow the package without its
 * first part.
 */
export class DescriptorIndex {
  readonly #files = new Map<string, IndexedFile>();
  readonly #symbols = new Map<string, string>();
  readonly #extensions = new Map<string, Map<number, string>>();

  /** @param descriptorSet a serialized `google.protobuf.FileDescriptorSet` */
  constructor(descriptorSet: Uint8Array) {
    for (const file of fromBinary(FileDescriptorSetSchema, descriptorSet).file) {
      // Comments are half of the bytes, and reflection clients do not read them.
      file.sourceCodeInfo = undefined;
      this.#add(file);
      if (!OUR_PACKAGE.test(file.package)) continue;
      renameFile(file);
      this.#add(file);
    }
  }

  get fileNames(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** Name of the file that defines a service, method, message, field, enum or extension. */
  fileOfSymbol(symbol: string): string | undefined {
    return this.#symbols.get(symbol);
  }

  /** @param extendee full name of the extended message, without a leading dot */
  fileOfExtension(extendee: string, number: number): string | undefined {
    return this.#extensions.get(extendee)?.get(number);
  }

  /** Numbers of the known extensions of a message, or undefined where the message is unknown. */
  extensionNumbers(extendee: string): readonly number[] | undefined {
    const numbers = this.#extensions.get(extendee);
    if (numbers !== undefined) return [...numbers.keys()].sort((a, b) => a - b);
    return this.#symbols.has(extendee) ? [] : undefined;
  }

  /**
   * A file and everything it imports, the file itself first, without what is in
   * `sent`; adds to `sent`. Undefined where there is no such file.
   */
  withDependencies(fileName: string, sent: Set<object>): Uint8Array[] | undefined {
    if (!this.#files.has(fileName)) return undefined;
    const found: Uint8Array[] = [];
    const pending = [fileName];
    const seen = new Set(pending);
    for (const name of pending) {
      const file = this.#files.get(name);
      if (file === undefined) continue;
      // The requested file is always sent; its imports only once per conversation.
      if (name === fileName || !sent.has(file)) found.push(file.bytes);
      sent.add(file);
      for (const dependency of file.dependencies) {
        if (seen.has(dependency)) continue;
        seen.add(dependency);
        pending.push(dependency);
      }
    }
    return found;
  }

  #add(file: FileDescriptorProto): void {
    const { name } = file;
    this.#files.set(name, { bytes: toBinary(FileDescriptorProtoSchema, file), dependencies: [...file.dependency] });
    const prefix = file.package === '' ? '' : `${file.package}.`;
    for (const message of file.messageType) this.#addMessage(message, prefix, name);
    for (const enumeration of file.enumType) this.#addEnum(enumeration, prefix, name);
    for (const extension of file.extension) this.#addExtension(extension, prefix, name);
    for (const service of file.service) {
      this.#symbols.set(prefix + service.name, name);
      for (const method of service.method) this.#symbols.set(`${prefix}${service.name}.${method.name}`, name);
    }
  }

  #addMessage(message: DescriptorProto, prefix: string, fileName: string): void {
    const fullName = prefix + message.name;
    this.#symbols.set(fullName, fileName);
    for (const field of message.field) this.#symbols.set(`${fullName}.${field.name}`, fileName);
    for (const nested of message.nestedType) this.#addMessage(nested, `${fullName}.`, fileName);
    for (const enumeration of message.enumType) this.#addEnum(enumeration, `${fullName}.`, fileName);
    for (const extension of message.extension) this.#addExtension(extension, `${fullName}.`, fileName);
  }

  #addEnum(enumeration: EnumDescriptorProto, prefix: string, fileName: string): void {
    this.#symbols.set(prefix + enumeration.name, fileName);
    // Values of an enum are names in the scope around it, not in it.
    for (const value of enumeration.value) this.#symbols.set(prefix + value.name, fileName);
  }

  #addExtension(extension: FieldDescriptorProto, prefix: string, fileName: string): void {
    this.#symbols.set(prefix + extension.name, fileName);
    const extendee = extension.extendee.replace(/^\./, '');
    const numbers = this.#extensions.get(extendee) ?? new Map<number, string>();
    this.#extensions.set(extendee, numbers);
    // An option has one number in both spellings; the `viam` one, added last, is what its clients look for.
    numbers.set(extension.number, fileName);
  }
}

function renameFile(file: FileDescriptorProto): void {
  file.name = fileNameOf(file.name);
  file.package = protoNameIn(`${file.package}.`, 'viam').slice(0, -1);
  file.dependency = file.dependency.map(fileNameOf);
  for (const message of file.messageType) renameMessage(message);
  for (const extension of file.extension) renameField(extension);
  for (const { method } of file.service) {
    for (const each of method) {
      each.inputType = renameType(each.inputType);
      each.outputType = renameType(each.outputType);
    }
  }
}

function renameMessage(message: DescriptorProto): void {
  for (const field of message.field) renameField(field);
  for (const extension of message.extension) renameField(extension);
  for (const nested of message.nestedType) renameMessage(nested);
}

function renameField(field: FieldDescriptorProto): void {
  // A name that is set to nothing differs from a missing one, and would be wrong.
  if (field.typeName !== '') field.typeName = renameType(field.typeName);
  if (field.extendee !== '') field.extendee = renameType(field.extendee);
}

/** Type references in descriptors start with a dot. */
function renameType(reference: string): string {
  return reference.startsWith('.') ? `.${protoNameIn(reference.slice(1), 'viam')}` : reference;
}

function fileNameOf(name: string): string {
  return name.startsWith(OUR_FOLDER) ? name.slice(OUR_FOLDER.length) : name;
}
