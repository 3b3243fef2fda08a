import { ConfigServiceDefinition, type ApplyResponse } from '../../../../proto/gen/core/config/v1/config.ts';
import { StatusCode } from '../../../../proto/status-code.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { RpcError } from '../../../link/rpc-error.ts';
import { documentFrom, durationOf, planFrom, problemFrom } from '../from-proto.ts';
import type { ConfigCalls } from '../machine.ts';
import { partId, quick } from './call-options.ts';

/** A call that ended so may have been carried out all the same: nobody knows. */
const undecided: ReadonlySet<number> = new Set([
  StatusCode.CANCELLED,
  StatusCode.UNKNOWN,
  StatusCode.DEADLINE_EXCEEDED,
  StatusCode.INTERNAL,
  StatusCode.UNAVAILABLE,
]);

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
      let outcome: ApplyResponse['outcome'];
      try {
        ({ outcome } = await client.apply({ partId, text, ...terms }, quick));
      } catch (thrown) {
        if (thrown instanceof RpcError && !undecided.has(thrown.code)) {
          return { kind: 'failed', reason: thrown.message };
        }
        throw thrown;
      }
      switch (outcome?.$case) {
        case 'applied':
          return { kind: 'applied', revision: outcome.value.revision };
        case 'conflict':
          return {
            kind: 'conflict',
            theirs: { text: outcome.value.currentText, revision: outcome.value.currentRevision },
          };
        case 'rejected':
          return { kind: 'refused', problems: outcome.value.problems.map(problemFrom) };
        case undefined:
          throw new Error('The machine did not say what became of the text. Reload the page to see what is applied.');
      }
    },
    async endTrial(revision, keep) {
      await client.endTrial({ partId, revision, keep }, quick);
    },
    async *watch(signal) {
      for await (const message of client.watch({ partId }, { signal })) yield documentFrom(message, Date.now());
    },
  };
}
