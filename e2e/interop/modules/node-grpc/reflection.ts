import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import { filesOf } from './wire.ts';

interface Request {
  readonly file_containing_symbol?: string;
  readonly list_services?: string;
  readonly message_request?: string;
}

/** Reflection v1alpha, which modules of the public ecosystem serve. */
export function reflection(
  services: readonly string[],
): Readonly<Record<string, handleBidiStreamingCall<Request, unknown>>> {
  return {
    ServerReflectionInfo: (call) => {
      call.on('data', (request: Request) => call.write({ original_request: request, ...answerTo(request, services) }));
      call.on('end', () => call.end());
    },
  };
}

function answerTo(request: Request, services: readonly string[]): object {
  if (request.message_request === 'list_services') {
    return { list_services_response: { service: services.map((name) => ({ name })) } };
  }
  const symbol = request.file_containing_symbol ?? '';
  // A method is looked up by its full name too.
  const service = services.find((name) => symbol === name || symbol.startsWith(`${name}.`));
  if (service === undefined)
    return { error_response: { error_code: 5, error_message: `${symbol} is not served here` } };
  return { file_descriptor_response: { file_descriptor_proto: filesOf(service) } };
}
