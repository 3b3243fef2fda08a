import { RobotServiceDefinition } from '../../../../proto/gen/core/robot/v1/robot.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { ReflectionCalls } from '../machine.ts';
import { quick, stopTimeoutMs } from './call-options.ts';

/** Describes the machine's services. Methods of unknown services may move something, so they go through `session`. */
export function reflectionCalls(session: Channel, link: Channel): ReflectionCalls {
  const robot = createClient(RobotServiceDefinition, link);
  return {
    async serviceOf(api) {
      const { resourceRpcSubtypes } = await robot.resourceRPCSubtypes({}, quick);
      const [namespace, type, subtype] = api.split(':');
      return resourceRpcSubtypes.find(
        ({ subtype: name }) => name?.namespace === namespace && name?.type === type && name?.subtype === subtype,
      )?.protoService;
    },
    async filesOf(service) {
      const { ServerReflectionDefinition } = await import('../../../../proto/gen/grpc/reflection/v1/reflection.ts');
      const reflection = createClient(ServerReflectionDefinition, link);
      const question = { host: '', messageRequest: { $case: 'fileContainingSymbol' as const, value: service } };
      async function* ask(): AsyncGenerator<typeof question> {
        yield await Promise.resolve(question);
      }
      for await (const { messageResponse } of reflection.serverReflectionInfo(ask(), quick)) {
        if (messageResponse?.$case === 'fileDescriptorResponse') return messageResponse.value.fileDescriptorProto;
        if (messageResponse?.$case === 'errorResponse') throw new Error(messageResponse.value.errorMessage);
      }
      throw new Error(`The machine did not describe ${service}.`);
    },
    call: (path, requests, signal) => session.call({ path, requests, options: { signal } }),
    async stop(path, request) {
      const answers = link.call({ path, requests: [request], options: { timeoutMs: stopTimeoutMs } });
      for await (const _answer of answers); // The answer is empty; a failure throws.
    },
  };
}
