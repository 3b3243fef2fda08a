import {
  fromBinary,
  fromJson,
  toBinary,
  toJson,
  type DescMessage,
  type JsonValue,
  type Registry,
} from '@bufbuild/protobuf';

/** Encodes a message from JSON. Throws an Error whose message names the invalid field. */
export function encodeJson(message: DescMessage, value: JsonValue, registry: Registry): Uint8Array {
  return toBinary(message, fromJson(message, value, { registry }));
}

/** Decodes a message to JSON, with the field names of its proto file. */
export function decodeJson(message: DescMessage, bytes: Uint8Array, registry: Registry): JsonValue {
  return toJson(message, fromBinary(message, bytes), { registry, useProtoFieldName: true });
}

/** Converts JSON to the form that {@link decodeJson} gives, which a form can show. Throws like {@link encodeJson}. */
export function spellJson(message: DescMessage, value: JsonValue, registry: Registry): JsonValue {
  return toJson(message, fromJson(message, value, { registry }), { registry, useProtoFieldName: true });
}
