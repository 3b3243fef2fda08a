import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, type MethodDescriptorProto } from '@bufbuild/protobuf/wkt';
import { methodTraits, SAFETY_HEARTBEAT_MONITORED } from '../../proto/method-traits.ts';
import type { ValueShape } from '../../proto/value-shapes.ts';
import { protoNameIn } from '../base/dialect.ts';
import { ArmatureError } from '../base/errors.ts';
import { valueShapesOf } from './foreign-shapes.ts';
import type { ForeignService, Method } from './router.ts';

/**
 * A service that another process implements, as its descriptors tell it. Reads
 * descriptors, so whoever needs it imports it when there is such a service.
 * @param name full proto name of the service, in either spelling of ours
 * @param descriptors a serialized `google.protobuf.FileDescriptorSet`: the file of the service with all it imports
 * @throws {ArmatureError} `call.not_found` where the descriptors do not have the service
 */
export function foreignService(name: string, descriptors: Uint8Array): ForeignService {
  const fullName = protoNameIn(name, 'core');
  const files = fromBinary(FileDescriptorSetSchema, descriptors).file;
  for (const file of files) {
    const prefix = file.package === '' ? '' : `${file.package}.`;
    for (const service of file.service) {
      if (protoNameIn(prefix + service.name, 'core') !== fullName) continue;
      const shapeOf = valueShapesOf(files);
      const methods = service.method.map((method) => methodOf(fullName, method, shapeOf(method.outputType)));
      return { fullName, methods, descriptors };
    }
  }
  throw new ArmatureError(
    'call.not_found',
    `The descriptors of the service ${name} do not define it; they hold ${files.map((file) => file.name).join(', ')}.`,
  );
}

function methodOf(service: string, method: MethodDescriptorProto, answerShape: ValueShape | undefined): Method {
  return {
    path: `/${service}/${method.name}`,
    service,
    name: method.name,
    requestStream: method.clientStreaming,
    responseStream: method.serverStreaming,
    traits: { ...methodTraits(service, method.name), moves: isSafetyMonitored(method) },
    // The name in the request is all that says where the call goes.
    hasResource: true,
    requestType: undefined,
    answerShape,
  };
}

/** The option arrives as an unknown field: a varint, and the last one counts. */
function isSafetyMonitored({ options }: MethodDescriptorProto): boolean {
  const value = options?.$unknown?.findLast(({ no }) => no === SAFETY_HEARTBEAT_MONITORED);
  return value !== undefined && value.data.some((byte) => (byte & 0x7f) !== 0);
}
