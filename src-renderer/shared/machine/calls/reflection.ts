import { RobotServiceDefinition } from '../../../../proto/gen/core/robot/v1/robot.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { ReflectionCalls } from '../machine.ts';
import { isReadOnlyMethod } from '../resource.ts';
import { resourceIn, type SentCommands } from '../sent-commands.ts';
import { quick, stopTimeoutMs } from './call-options.ts';

/**
 * Describes the machine's services. Methods of unknown services may move something, so they go through `session`.
 * @param sent is told of all calls but those that only read
 */
export function reflectionCalls(session: Channel, link: Channel, sent: SentCommands): ReflectionCalls {
  const robot = createClient(RobotServiceDefinition, link);
  const noted = (path: string, first: Uint8Array, answers: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => {
    const method = path.slice(path.lastIndexOf('/') + 1);
    if (isReadOnlyMethod(method)) return answers;
    return sent.noteStream({ resource: resourceIn(first), method, request: undefined }, answers);
  };
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
    call: (path, requests, signal) => {
      const first = Symbol.asyncIterator in requests ? new Uint8Array() : requests[0];
      return noted(path, first, session.call({ path, requests, options: { signal } }));
    },
    async stop(path, request) {
      const answers = link.call({ path, requests: [request], options: { timeoutMs: stopTimeoutMs } });
      for await (const _answer of noted(path, request, answers)); // The answer is empty; a failure throws.
    },
  };
}
