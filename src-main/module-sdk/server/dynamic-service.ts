import { create, fromBinary, toBinary, type DescMessage, type DescService } from '@bufbuild/protobuf';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { MessageType } from '../../rpc/method.ts';
import type { MethodDefinition, ServiceDefinition } from '../../rpc/service.ts';

/**
 * Builds a service definition, as generated code would, from the service's descriptors. Methods have their .proto names
 * with a lower-case first letter.
 */
export function dynamicService(service: DescService): ServiceDefinition {
  const methods = service.methods.map((method): [string, MethodDefinition] => [
    method.name.charAt(0).toLowerCase() + method.name.slice(1),
    {
      name: method.name,
      requestType: messageType(method.input),
      requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
      responseType: messageType(method.output),
      responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
    },
  ]);
  return { name: service.name, fullName: service.typeName, methods: Object.fromEntries(methods) };
}

function messageType(message: DescMessage): MessageType<Record<string, unknown>> {
  return {
    encode(value, writer = new BinaryWriter()) {
      return writer.raw(toBinary(message, create(message, value)));
    },
    decode: (bytes) => fromBinary(message, bytes),
  };
}
