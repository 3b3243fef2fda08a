import type { DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isReadOnlyMethod } from '../../../shared/machine/resource.ts';
import type { MethodModel } from '../../../shared/reflection/service-model.ts';
import { isObject } from './json-request.ts';

const nameField = 'name';

/** Whether the first field of a message names the resource it is for, as in every resource API of the field. */
export function hasName(message: DescMessage): boolean {
  return message.fields.some(
    ({ number, name, fieldKind }) => number === 1 && name === nameField && fieldKind === 'scalar',
  );
}

/** The request that only says which resource is meant; undefined where the message cannot. */
export function nameIn(message: DescMessage, name: string): JsonObject | undefined {
  return hasName(message) ? { [nameField]: name } : undefined;
}

/** The requests of a call: the one, or each of a list where the method takes a stream. Undefined where the shape is wrong. */
export function requestsIn(method: MethodModel, value: JsonValue): readonly JsonObject[] | undefined {
  const requests = isStreamed(method) ? value : [value];
  return Array.isArray(requests) && requests.length > 0 && requests.every(isObject) ? requests : undefined;
}

export function isStreamed({ kind }: MethodModel): boolean {
  return kind === 'requests' || kind === 'both';
}

/** The name in a request that is not `name`: a card calls its own resource and no other. Undefined where there is none. */
export function foreignName(method: MethodModel, requests: readonly JsonObject[], name: string): string | undefined {
  if (!hasName(method.input)) return undefined;
  const other = requests.find((request) => request[nameField] !== name);
  return other === undefined ? undefined : JSON.stringify(other[nameField] ?? '');
}

export function mayMove({ name, isSafetyMonitored }: MethodModel): boolean {
  return isSafetyMonitored || (name !== 'Stop' && !isReadOnlyMethod(name));
}
