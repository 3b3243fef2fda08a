import { protoNameIn } from '../base/dialect.ts';
import { StatusCode } from '../base/status.ts';
import type {
  ServerReflectionDefinition,
  ServerReflectionRequest,
  ServerReflectionResponse,
} from '../../proto/gen/grpc/reflection/v1/reflection.ts';
import type { ServerReflectionDefinition as AlphaDefinition } from '../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import type { DescriptorIndex } from './descriptor-index.ts';
import type { Router } from './router.ts';
import type { ServiceHandlers } from './service.ts';

/** The two services have the same messages under different names. */
export type ReflectionHandlers = ServiceHandlers<typeof ServerReflectionDefinition> &
  ServiceHandlers<typeof AlphaDefinition>;

type Answer = NonNullable<ServerReflectionResponse['messageResponse']>;

/**
 * Handlers of `grpc.reflection.v1` and `v1alpha`. Every service of the router
 * is listed in both spellings (ruling 1).
 * @param loadDescriptors called at the first request, and once: nobody pays for descriptors that are not asked for
 */
export function reflectionService(
  router: Pick<Router, 'serviceNames'>,
  loadDescriptors: () => Promise<DescriptorIndex>,
): ReflectionHandlers {
  let loading: Promise<DescriptorIndex> | undefined;
  return {
    async *serverReflectionInfo(requests: AsyncIterable<ServerReflectionRequest>) {
      const index = await (loading ??= loadDescriptors());
      const sent = new Set<string>();
      for await (const request of requests) {
        const messageResponse = answer(request.messageRequest, router, index, sent);
        yield { validHost: request.host, originalRequest: request, messageResponse };
      }
    },
  };
}

/** The descriptors of the program's own proto files. Loads what reads them: together a tenth of a start. */
export async function ownDescriptors(): Promise<DescriptorIndex> {
  const [{ fileDescriptorSet }, { DescriptorIndex }] = await Promise.all([
    import('../../proto/gen/descriptors.ts'),
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
  router: Pick<Router, 'serviceNames'>,
  index: DescriptorIndex,
  sent: Set<string>,
): Answer {
  switch (request?.$case) {
    case 'listServices': {
      const service = namesInBothDialects(router.serviceNames).map((name) => ({ name }));
      return { $case: 'listServicesResponse', value: { service } };
    }
    case 'fileByFilename':
      return files(index, request.value, `no proto file "${request.value}"`, sent);
    case 'fileContainingSymbol':
      return files(index, index.fileOfSymbol(request.value), `no proto file defines "${request.value}"`, sent);
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = request.value;
      const fileName = index.fileOfExtension(containingType, extensionNumber);
      return files(index, fileName, `no proto file extends "${containingType}" with number ${extensionNumber}`, sent);
    }
    case 'allExtensionNumbersOfType': {
      const numbers = index.extensionNumbers(request.value);
      if (numbers === undefined) return failed(StatusCode.NOT_FOUND, `no message is called "${request.value}"`);
      const value = { baseTypeName: request.value, extensionNumber: [...numbers] };
      return { $case: 'allExtensionNumbersResponse', value };
    }
    case undefined:
      return failed(StatusCode.INVALID_ARGUMENT, 'the request asks for nothing that is known here');
  }
}

function files(index: DescriptorIndex, fileName: string | undefined, missing: string, sent: Set<string>): Answer {
  const found = fileName === undefined ? undefined : index.withDependencies(fileName, sent);
  if (found === undefined) return failed(StatusCode.NOT_FOUND, missing);
  return { $case: 'fileDescriptorResponse', value: { fileDescriptorProto: found } };
}

function failed(errorCode: StatusCode, errorMessage: string): Answer {
  return { $case: 'errorResponse', value: { errorCode, errorMessage } };
}
