import { EncoderServiceDefinition } from '../../../../proto/gen/core/component/encoder/v1/encoder.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { EncoderCalls } from '../machine.ts';
import { shortName } from '../machine-view.ts';
import { extra, quick } from './call-options.ts';

export function encoderCalls(session: Channel, link: Channel): EncoderCalls {
  const client = createClient(EncoderServiceDefinition, session);
  const direct = createClient(EncoderServiceDefinition, link);
  return {
    async resetPosition(fullName) {
      await client.resetPosition({ name: shortName(fullName), extra }, quick);
    },
    async properties(fullName) {
      const found = await direct.getProperties({ name: shortName(fullName), extra }, quick);
      return { hasTicks: found.ticksCountSupported, hasDegrees: found.angleDegreesSupported };
    },
  };
}
