import { ConfigServiceDefinition, type Version } from '../../../../proto/gen/core/config/v1/config.ts';
import { StatusCode } from '../../../../proto/status-code.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { RpcError } from '../../../link/rpc-error.ts';
import { durationOf, resultFrom } from '../rpc/from-proto.ts';
import type { HistoryCalls, VersionView } from '../history-view.ts';
import { applyOutcome } from './apply-outcome.ts';
import { partId, quick } from './call-options.ts';

export function historyCalls(channel: Channel): HistoryCalls {
  const client = createClient(ConfigServiceDefinition, channel);
  return {
    async list({ text, resource, isTagged }, pageToken, limit, signal) {
      try {
        const request = { partId, limit, pageToken, text, resource, tagged: isTagged };
        const page = await client.history(request, { ...quick, signal });
        return {
          versions: page.versions.map(versionFrom),
          olderToken: page.nextPageToken,
          total: Number(page.total),
        };
      } catch (thrown) {
        if (thrown instanceof RpcError && thrown.code === StatusCode.UNIMPLEMENTED) return 'not kept';
        throw thrown;
      }
    },
    async get(number) {
      const { version, text } = await client.getVersion({ partId, number: BigInt(number) }, quick);
      if (version === undefined) throw new Error(`The machine gave no version ${number}.`);
      return { version: versionFrom(version), text };
    },
    restore(number, baseRevision, returnAfterMs) {
      const terms = { baseRevision, author: '', note: '', returnAfter: durationOf(returnAfterMs) };
      return applyOutcome(async () => {
        const { result } = await client.restore({ partId, number: BigInt(number), ...terms }, quick);
        return result?.outcome;
      });
    },
    async annotate(number, { tag, note }) {
      const { version } = await client.annotate({ partId, number: BigInt(number), tag, note }, quick);
      if (version === undefined) throw new Error('The machine did not say what the version is called now.');
      return versionFrom(version);
    },
  };
}

function versionFrom(message: Version): VersionView {
  const { number, revision, time, author, summary, note, tag, base, restoredFrom, result, subjects } = message;
  return {
    number: Number(number),
    revision,
    at: time?.getTime() ?? 0,
    author,
    summary,
    note,
    tag,
    base: Number(base),
    restoredFrom: Number(restoredFrom),
    result: result === undefined ? undefined : resultFrom(result, Date.now()),
    subjects,
  };
}
