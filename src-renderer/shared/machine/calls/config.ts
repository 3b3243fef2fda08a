import { ConfigServiceDefinition } from '../../../../proto/gen/core/config/v1/config.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { documentFrom, planFrom, problemFrom } from '../from-proto.ts';
import type { ConfigCalls } from '../machine.ts';
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
    async apply(text, baseRevision) {
      const { outcome } = await client.apply({ partId, text, baseRevision, author: '', note: '' }, quick);
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
    async *watch(signal) {
      for await (const message of client.watch({ partId }, { signal })) yield documentFrom(message);
    },
  };
}
