import type { DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isReadOnlyMethod } from '../../../shared/machine/resource.ts';
import type { MethodModel } from '../../../shared/reflection/service-model.ts';
import { isObject } from './json-request.ts';

const nameField = 'name';

/** Whether the first field of a message names the resource, as is the convention in resource APIs. */
export function hasName(message: DescMessage): boolean {
  return message.fields.some(
    ({ number, name, fieldKind }) => number === 1 && name === nameField && fieldKind === 'scalar',
  );
}

/** A request with only the name of the resource; undefined where the message has no field for it. */
export function requestNaming(message: DescMessage, name: string): JsonObject | undefined {
  return hasName(message) ? { [nameField]: name } : undefined;
}

/** The requests of a call: one, or a list where the method takes a stream. Undefined where the shape is wrong. */
export function requestsIn(method: MethodModel, value: JsonValue): readonly JsonObject[] | undefined {
  const requests = isStreamed(method) ? value : [value];
  return Array.isArray(requests) && requests.length > 0 && requests.every(isObject) ? requests : undefined;
}

export function isStreamed({ kind }: MethodModel): boolean {
  return kind === 'requests' || kind === 'both';
}

/**
 * The first name in the requests that is not `name`, as JSON; undefined where there is none. A card may call its own
 * resource only.
 */
export function otherName(method: MethodModel, requests: readonly JsonObject[], name: string): string | undefined {
  if (!hasName(method.input)) return undefined;
  const other = requests.find((request) => request[nameField] !== name);
  return other === undefined ? undefined : JSON.stringify(other[nameField] ?? '');
}

export function mayMove({ name, isSafetyMonitored }: MethodModel): boolean {
  return isSafetyMonitored || (name !== 'Stop' && !isReadOnlyMethod(name));
}
