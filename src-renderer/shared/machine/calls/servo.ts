import { ServoServiceDefinition } from '../../../../proto/gen/core/component/servo/v1/servo.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { ServoCalls } from '../machine.ts';
import { shortName } from '../machine-view.ts';
import { extra, quick, stopTimeoutMs } from './call-options.ts';

/** What moves goes through `session`; what stops goes past it, and waits for no session. */
export function servoCalls(session: Channel, link: Channel): ServoCalls {
  const client = createClient(ServoServiceDefinition, session);
  const direct = createClient(ServoServiceDefinition, link);
  return {
    async move(fullName, angleDeg) {
      await client.move({ name: shortName(fullName), angleDeg, extra }, quick);
    },
    async stop(fullName) {
      await direct.stop({ name: shortName(fullName), extra }, { timeoutMs: stopTimeoutMs });
    },
  };
}
