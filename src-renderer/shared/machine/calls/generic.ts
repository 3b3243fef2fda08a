import { DoCommandRequest, DoCommandResponse } from '../../../../proto/gen/core/common/v1/common.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { GenericCalls } from '../machine.ts';

/** DoCommand is the same in every API; only the service differs. Its command may move something: it goes through `session`. */
export function genericCalls(session: Channel): GenericCalls {
  return {
    async doCommand(service, name, command, signal) {
      const method = {
        name: 'DoCommand',
        requestType: DoCommandRequest,
        requestStream: false,
        responseType: DoCommandResponse,
        responseStream: false,
      } as const;
      const client = createClient({ fullName: service, methods: { doCommand: method } }, session);
      const { result } = await client.doCommand({ name, command: { ...command } }, { signal });
      return result ?? {};
    },
  };
}
