import { createFileRegistry, fromBinary, ScalarType } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { canonicalApi } from '../../proto/config/names.ts';
import { ArmatureError } from '../base/errors.ts';
import { foreignService } from '../rpc/reflection/foreign-service.ts';
import type { ResourceHandlers, ServiceDefinition } from '../rpc/service.ts';
import { dynamicService } from './server/dynamic-service.ts';
import { servedCustomApis } from './server/served-custom-apis.ts';

/** A message as a plain object: fields in camel case, 64-bit integers as bigint, bytes as Uint8Array. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a message holds is said by its .proto file
export type Message = Record<string, any>;

/** What a handler may need to know about its call. */
export interface ApiCall {
  /** Aborts when the caller is gone or its time limit is over: a waiting handler must then end. */
  readonly signal: AbortSignal;
  readonly metadata: Readonly<Record<string, string | string[] | undefined>>;
  /** Adds a response header. It has no effect after the first answer was sent. Values are printable ASCII. */
  setHeader(key: string, value: string): void;
  /** Sent with the end of the call. */
  readonly trailers: Record<string, string | string[]>;
}

/** A method: takes a message or a stream of messages, and returns a message or a stream, as its .proto file says. */
export type ApiHandler<R> = (
  resource: R,
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a Message, or an AsyncIterable of them
  request: any,
  call: ApiCall,
) => Promise<Message> | Message | AsyncIterable<Message>;

export interface CustomApiDefinition<R extends object> {
  /** Triplet `acme:component:gripper`. */
  readonly api: string;
  /** Full name of its proto service, `acme.component.gripper.v1.GripperService`. */
  readonly service: string;
  /**
   * A serialized `google.protobuf.FileDescriptorSet` with the service and everything it imports, as written by `buf
   * build -o` and `protoc --include_imports --descriptor_set_out`; a string is base64.
   */
  readonly descriptors: Uint8Array | string;
  /** By method name, with a lower-case first letter. A method without a handler answers Unimplemented. */
  readonly handlers: Readonly<Record<string, ApiHandler<R>>>;
}

declare const resource: unique symbol;

/** A custom API, to be used as `api` of a model that builds resources of type R. */
export interface CustomApi<R extends object> {
  readonly api: string;
  readonly [resource]?: R;
}

/**
 * Defines an API that the program does not know. Field 1 of each request must be the name of the resource, a string:
 * that is how machines route a call. Reflection serves the descriptors, so clients need no generated code.
 * @throws {ArmatureError} `call.bad_argument` for a service that the descriptors do not have, a handler that matches no
 * method, or a request without a name
 */
export function defineApi<R extends object>(definition: CustomApiDefinition<R>): CustomApi<R> {
  const { service: fullName, handlers } = definition;
  const api = canonicalApi(definition.api);
  if (api === undefined) {
    throw bad(`api is "${definition.api}"; write namespace:component:name or namespace:service:name.`);
  }
  const descriptors =
    typeof definition.descriptors === 'string'
      ? new Uint8Array(Buffer.from(definition.descriptors, 'base64'))
      : definition.descriptors;
  const described = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors)).getService(fullName);
  if (described === undefined) {
    throw bad(`The descriptors of ${api} have no service "${fullName}"; write its full name with the package.`);
  }
  const service = dynamicService(described);
  for (const name of Object.keys(handlers)) {
    if (Object.hasOwn(service.methods, name)) continue;
    const known = Object.keys(service.methods).join(', ');
    throw bad(`${fullName} has no method for the handler "${name}"; it has ${known}.`);
  }
  for (const { name, input } of described.methods) {
    const field = input.fields.find(({ number }) => number === 1);
    if (field?.fieldKind === 'scalar' && field.scalar === ScalarType.STRING) continue;
    throw bad(`Field 1 of ${input.typeName}, the request of ${name}, has to be a string: the name of the resource.`);
  }
  const custom: CustomApi<R> = { api };
  servedCustomApis.set(custom, {
    service,
    // Handlers only get resources of this API, because calls are routed by its name.
    handlers: handlers as unknown as ResourceHandlers<object, ServiceDefinition>,
    reflected: foreignService(fullName, descriptors),
  });
  return custom;
}

function bad(message: string): ArmatureError {
  return new ArmatureError('call.bad_argument', message);
}
