import { protoNameIn } from '../../base/dialect.ts';
import { StatusCode } from '../../base/status.ts';
import type {
  ServerReflectionDefinition,
  ServerReflectionRequest,
  ServerReflectionResponse,
} from '../../../proto/gen/grpc/reflection/v1/reflection.ts';
import type { ServerReflectionDefinition as AlphaDefinition } from '../../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import type { DescriptorIndex } from './descriptor-index.ts';
import type { ForeignService, Router } from '../router.ts';
import type { ServiceHandlers } from '../service.ts';

/** The two services have the same messages under different names. */
export type ReflectionHandlers = ServiceHandlers<typeof ServerReflectionDefinition> &
  ServiceHandlers<typeof AlphaDefinition>;

type ReflectedRouter = Pick<Router, 'serviceNames' | 'forwardedServices'>;
type Answer = NonNullable<ServerReflectionResponse['messageResponse']>;

/**
 * Handlers of `grpc.reflection.v1` and `v1alpha`. Every service of the router is listed in both
 * spellings. What the program's own files do not have is looked up in those of the services it
 * forwards, each separately: two vendors may both have a file `gripper.proto`.
 * @param loadDescriptors called once, at the first request, so that unused descriptors cost nothing
 */
export function reflectionService(
  router: ReflectedRouter,
  loadDescriptors: () => Promise<DescriptorIndex>,
): ReflectionHandlers {
  let loading: Promise<DescriptorIndex> | undefined;
  const foreign = new WeakMap<ForeignService, DescriptorIndex>();
  const indexOf = async (service: ForeignService): Promise<DescriptorIndex> => {
    const known = foreign.get(service);
    if (known !== undefined) return known;
    const { DescriptorIndex } = await import('./descriptor-index.ts');
    const index = new DescriptorIndex(service.descriptors);
    foreign.set(service, index);
    return index;
  };
  return {
    async *serverReflectionInfo(requests: AsyncIterable<ServerReflectionRequest>) {
      const own = await (loading ??= loadDescriptors());
      const sent = new Set<object>();
      for await (const request of requests) {
        // Read again each time: services come and go during a conversation.
        const indexes = [own, ...(await Promise.all(router.forwardedServices.map(indexOf)))];
        const messageResponse = answer(request.messageRequest, router, indexes, sent);
        yield { validHost: request.host, originalRequest: request, messageResponse };
      }
    },
  };
}

/** The descriptors of the program's own proto files. Loads what reads them: together a tenth of a start. */
export async function ownDescriptors(): Promise<DescriptorIndex> {
  const [{ fileDescriptorSet }, { DescriptorIndex }] = await Promise.all([
    import('../../../proto/gen/descriptors.ts'),
    import('./descriptor-index.ts'),
  ]);
  return new DescriptorIndex(Buffer.from(fileDescriptorSet, 'base64'));
}

/** Both spellings of every name; names that have one spelling once. */
export function namesInBothDialects(names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => [protoNameIn(name, 'core'), protoNameIn(name, 'viam')]))].sort();
}

function answer(
  request: ServerReflectionRequest['messageRequest'],
  router: ReflectedRouter,
  indexes: readonly DescriptorIndex[],
  sent: Set<object>,
): Answer {
  switch (request?.$case) {
    case 'listServices': {
      const service = namesInBothDialects(router.serviceNames).map((name) => ({ name }));
      return { $case: 'listServicesResponse', value: { service } };
    }
    case 'fileByFilename':
      return files(indexes, () => request.value, `no proto file "${request.value}"`, sent);
    case 'fileContainingSymbol':
      return files(
        indexes,
        (index) => index.fileOfSymbol(request.value),
        `no proto file defines "${request.value}"`,
        sent,
      );
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = request.value;
      return files(
        indexes,
        (index) => index.fileOfExtension(containingType, extensionNumber),
        `no proto file extends "${containingType}" with number ${extensionNumber}`,
        sent,
      );
    }
    case 'allExtensionNumbersOfType': {
      const known = indexes.map((index) => index.extensionNumbers(request.value)).filter((one) => one !== undefined);
      if (known.length === 0) return failed(StatusCode.NOT_FOUND, `no message is called "${request.value}"`);
      const extensionNumber = [...new Set(known.flat())].sort((a, b) => a - b);
      const value = { baseTypeName: request.value, extensionNumber };
      return { $case: 'allExtensionNumbersResponse', value };
    }
    case undefined:
      return failed(StatusCode.INVALID_ARGUMENT, 'the request asks for nothing that is known here');
  }
}

function files(
  indexes: readonly DescriptorIndex[],
  nameIn: (index: DescriptorIndex) => string | undefined,
  missing: string,
  sent: Set<object>,
): Answer {
  for (const index of indexes) {
    const name = nameIn(index);
    const found = name === undefined ? undefined : index.withDependencies(name, sent);
    if (found !== undefined) return { $case: 'fileDescriptorResponse', value: { fileDescriptorProto: found } };
  }
  return failed(StatusCode.NOT_FOUND, missing);
}

function failed(errorCode: StatusCode, errorMessage: string): Answer {
  return { $case: 'errorResponse', value: { errorCode, errorMessage } };
}
