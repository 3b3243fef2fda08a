import { ConfigServiceDefinition } from '../../../../proto/gen/core/config/v1/config.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { documentFrom, durationOf, planFrom, problemFrom } from '../rpc/from-proto.ts';
import type { ConfigCalls } from '../machine.ts';
import { applyOutcome } from './apply-outcome.ts';
import { partId, quick } from './call-options.ts';

export function configCalls(channel: Channel): ConfigCalls {
  const client = createClient(ConfigServiceDefinition, channel);
  return {
    async validate(text) {
      return (await client.validate({ partId, text }, quick)).problems.map(problemFrom);
    },
    async plan(text) {
      return planFrom((await client.plan({ partId, text }, quick)).plan);
    },
    async apply(text, baseRevision, returnAfterMs) {
      const terms = { baseRevision, author: '', note: '', returnAfter: durationOf(returnAfterMs) };
      return applyOutcome(async () => (await client.apply({ partId, text, ...terms }, quick)).outcome);
    },
    async endTrial(revision, keep) {
      await client.endTrial({ partId, revision, keep }, quick);
    },
    async applyNow(revision) {
      await client.applyNow({ partId, revision, author: '' }, quick);
    },
    async *watch(signal) {
      for await (const message of client.watch({ partId }, { signal })) yield documentFrom(message, Date.now());
    },
  };
}
