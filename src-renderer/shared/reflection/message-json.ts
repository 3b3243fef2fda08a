import {
  fromBinary,
  fromJson,
  toBinary,
  toJson,
  type DescMessage,
  type JsonValue,
  type Registry,
} from '@bufbuild/protobuf';

/** The bytes of a message in JSON. Throws an Error whose sentence names the field that is wrong. */
export function encodeJson(message: DescMessage, value: JsonValue, registry: Registry): Uint8Array {
  return toBinary(message, fromJson(message, value, { registry }));
}

/** A message in JSON, with the field names of its proto file. */
export function decodeJson(message: DescMessage, bytes: Uint8Array, registry: Registry): JsonValue {
  return toJson(message, fromBinary(message, bytes), { registry, useProtoFieldName: true });
}

/** The same message as {@link decodeJson} spells it: what a form can show. Throws as {@link encodeJson} does. */
export function spellJson(message: DescMessage, value: JsonValue, registry: Registry): JsonValue {
  return toJson(message, fromJson(message, value, { registry }), { registry, useProtoFieldName: true });
}
