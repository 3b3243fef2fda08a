import {
  create,
  createFileRegistry,
  fromBinary,
  getOption,
  isFieldSet,
  type DescMethod,
  type FileRegistry,
} from '@bufbuild/protobuf';
import {
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type DescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { fileDescriptorSet } from '../../../proto/gen/descriptors.ts';
import { DescriptorIndex } from './descriptor-index.ts';

const index = new DescriptorIndex(Buffer.from(fileDescriptorSet, 'base64'));

/** Builds a registry of one file and what it imports, as a client does: throws where something is missing. */
function registryOf(fileName: string): FileRegistry {
  const found = index.withDependencies(fileName, new Set()) ?? [];
  const files = new Map(
    found.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes)).map((file) => [file.name, file]),
  );
  const ordered = new Map<string, FileDescriptorProto>();
  const visit = (name: string): void => {
    if (ordered.has(name)) return;
    const file = files.get(name);
    if (file === undefined) throw new Error(`${fileName} came without ${name}`);
    file.dependency.forEach(visit);
    ordered.set(name, file);
  };
  visit(fileName);
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...ordered.values()] }));
}

function methodOf(registry: FileRegistry, service: string, name: string): DescMethod {
  const method = registry.getService(service)?.methods.find((each) => each.name === name);
  if (method === undefined) throw new Error(`${service}/${name} is not there`);
  return method;
}

describe('DescriptorIndex', () => {
  it('sets no name to nothing: clients in Go (grpcurl) refuse a field that extends "", and so all that imports its file', () => {
    const wrong: string[] = [];
    const look = (
      scope: string,
      { field, extension, nestedType }: Pick<DescriptorProto, 'field' | 'extension' | 'nestedType'>,
    ): void => {
      for (const one of [...field, ...extension]) {
        const { extendee, typeName } = FieldDescriptorProtoSchema.field;
        for (const name of [extendee, typeName]) {
          if (isFieldSet(one, name) && one[name.localName as 'extendee' | 'typeName'] === '')
            wrong.push(`${scope}.${one.name}`);
        }
      }
      for (const nested of nestedType) look(`${scope}.${nested.name}`, nested);
    };
    for (const fileName of index.fileNames) {
      const [bytes = new Uint8Array()] = index.withDependencies(fileName, new Set()) ?? [];
      const { messageType, extension } = fromBinary(FileDescriptorProtoSchema, bytes);
      look(fileName, { field: [], extension, nestedType: messageType });
    }
    expect(wrong).toEqual([]);
  });

  it('has every file of ours in both spellings, and every other file once', () => {
    const given = fromBinary(FileDescriptorSetSchema, Buffer.from(fileDescriptorSet, 'base64')).file.map(
      ({ name }) => name,
    );
    const ours = given.filter((name) => name.startsWith('core/'));
    expect(ours.length).toBeGreaterThan(20);
    const expected = [...given, ...ours.map((name) => name.slice('core/'.length))];
    expect([...index.fileNames].sort()).toEqual(expected.sort());
    expect(index.fileNames).toContain('component/motor/v1/motor.proto');
  });

  it('each file resolves with what comes with it', () => {
    for (const fileName of index.fileNames) expect(registryOf(fileName).getFile(fileName)).toBeDefined();
  });

  it('the second spelling keeps no word of the first, in packages, types or file names', () => {
    for (const fileName of index.fileNames.filter((name) => !name.startsWith('core/'))) {
      const [bytes = new Uint8Array()] = index.withDependencies(fileName, new Set()) ?? [];
      const file = fromBinary(FileDescriptorProtoSchema, bytes);
      const types = file.messageType.flatMap(({ field }) =>
        field.flatMap(({ typeName, extendee }) => [typeName, extendee]),
      );
      const methods = file.service.flatMap(({ method }) =>
        method.flatMap(({ inputType, outputType }) => [inputType, outputType]),
      );
      const names = [file.package, ...file.dependency, ...types, ...methods];
      expect(names.filter((name) => /^\.?core[./]/.test(name))).toEqual([]);
    }
  });

  it.each([
    ['viam', 'component/motor/v1/motor.proto', 'common/v1/common.proto'],
    ['core', 'core/component/motor/v1/motor.proto', 'core/common/v1/common.proto'],
  ])('option 84260 is visible on the %s motor', (prefix, motorFile, commonFile) => {
    const registry = registryOf(motorFile);
    expect(index.fileOfSymbol(`${prefix}.component.motor.v1.MotorService`)).toBe(motorFile);
    expect(index.fileOfSymbol(`${prefix}.component.motor.v1.MotorService.SetPower`)).toBe(motorFile);
    expect(registry.getFile(commonFile)).toBeDefined();
    const option = registry.getExtensionFor(
      // The registry was built from the same files, so the extendee is in it.
      registry.getMessage('google.protobuf.MethodOptions') ?? missing('google.protobuf.MethodOptions'),
      84260,
    );
    const service = `${prefix}.component.motor.v1.MotorService`;
    if (option === undefined) throw new Error('extension 84260 is not known');
    expect(option.typeName.startsWith(prefix)).toBe(true);
    expect(getOption(methodOf(registry, service, 'SetPower'), option)).toBe(true);
    expect(getOption(methodOf(registry, service, 'IsMoving'), option)).toBe(false);
  });

  it('finds the extension, and names the numbers of what is extended', () => {
    expect(index.fileOfExtension('google.protobuf.MethodOptions', 84260)).toBe('common/v1/common.proto');
    expect(index.extensionNumbers('google.protobuf.MethodOptions')).toEqual([84260]);
    expect(index.extensionNumbers('core.common.v1.Vector3')).toEqual([]);
    expect(index.extensionNumbers('no.such.Message')).toBeUndefined();
  });

  it('sends an import once in a conversation, and what is asked for always', () => {
    const sent = new Set<object>();
    const first = index.withDependencies('component/motor/v1/motor.proto', sent) ?? [];
    expect(first.length).toBeGreaterThan(2);
    expect(index.withDependencies('component/motor/v1/motor.proto', sent)).toHaveLength(1);
    expect(index.withDependencies('no/such.proto', sent)).toBeUndefined();
  });
});

function missing(name: string): never {
  throw new Error(`${name} is not there`);
}
