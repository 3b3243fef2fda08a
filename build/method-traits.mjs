/**
 * The traits of methods (proto/core/method/v1/traits.proto): removed from the descriptors that clients see and code is
 * generated from, and written to a table that the program reads.
 */
import {
  clearExtension,
  createFileRegistry,
  fromBinary,
  getExtension,
  hasExtension,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

const TRAITS_FILE = 'core/method/v1/traits.proto';
/** A public option: a call of the method makes its resource belong to the caller's session. */
const MONITORED = 'core.common.v1.safety_heartbeat_monitored';

/**
 * @param {Uint8Array} image a serialized `google.protobuf.FileDescriptorSet` that includes the file of the traits
 * @returns {{ image: Uint8Array, traits: Record<string, Record<string, object>> }} the image without the traits, and
 *   the traits by full name of the service and name of the method
 * @throws {Error} naming each method that lacks a required trait
 */
export function splitTraits(image) {
  const set = fromBinary(FileDescriptorSetSchema, image);
  const registry = createFileRegistry(set);
  const [usual, own, monitored] = ['core.method.v1.usual', 'core.method.v1.traits', MONITORED].map((name) =>
    registry.getExtension(name),
  );
  const traits = {};
  const lacking = [];
  for (const file of set.file) {
    for (const service of file.service) {
      const name = `${file.package}.${service.name}`;
      const ofService = take(service, usual);
      traits[name] = Object.fromEntries(
        service.method.map((method) => {
          const moves = hasExtension(method.options ?? {}, monitored) && getExtension(method.options, monitored);
          const said = { ...ofService, ...take(method, own), ...(moves && { moves }) };
          const isStream = method.clientStreaming || method.serverStreaming;
          if (said.needs === undefined) lacking.push(`${name}/${method.name} does not say what it needs`);
          if (isStream && said.duration === undefined) lacking.push(`${name}/${method.name} has no duration`);
          return [method.name, said];
        }),
      );
    }
    file.dependency = file.dependency.filter((dependency) => dependency !== TRAITS_FILE);
  }
  if (lacking.length > 0) throw new Error(`${lacking.join('; ')}: see proto/${TRAITS_FILE}`);
  set.file = set.file.filter(({ name }) => name !== TRAITS_FILE);
  return { image: toBinary(FileDescriptorSetSchema, set), traits };

  /** Removes an option and returns its value: keys as in TypeScript, enums without their prefix. */
  function take(described, option) {
    const { options } = described;
    if (options === undefined || !hasExtension(options, option)) return {};
    const said = toJson(option.message, getExtension(options, option));
    clearExtension(options, option);
    if (toBinary(option.extendee, options).length === 0) described.options = undefined;
    return Object.fromEntries(
      option.message.fields
        .filter((field) => field.jsonName in said)
        .map((field) => [field.jsonName, wordOf(field, said[field.jsonName])]),
    );
  }
}

function wordOf({ enum: ofEnum }, value) {
  return ofEnum === undefined ? value : value.slice(ofEnum.sharedPrefix?.length).toLowerCase().replaceAll('_', '-');
}

/** @returns {string} the source of the module `gen/method-traits.ts` */
export function traitsModule(traits) {
  const services = Object.entries(traits).map(([service, methods]) => {
    const lines = Object.entries(methods).map(([name, said]) => `    ${name}: ${JSON.stringify(said)},\n`);
    return `  '${service}': {\n${lines.join('')}  },\n`;
  });
  return (
    "import type { MethodTraits } from '../method-traits.ts';\n\n" +
    '/** By full name of the service and name of the method. */\n' +
    'export const traitsOfMethods: Readonly<Record<string, Readonly<Record<string, MethodTraits>>>> = {\n' +
    `${services.join('')}};\n`
  );
}
