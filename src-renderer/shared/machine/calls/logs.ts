import { LogServiceDefinition } from '../../../../proto/gen/core/log/v1/log.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { batchFrom, logFilterFrom, logPageFrom } from '../rpc/log-from-proto.ts';
import type { LogQueryOptions, LogTailOptions } from '../machine.ts';
import type { LogBatch, LogPageView } from '../machine-view.ts';
import { partId, quick } from './call-options.ts';

export async function* tailLogs(
  channel: Channel,
  { criteria, afterSeq, backlog }: LogTailOptions,
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  const client = createClient(LogServiceDefinition, channel);
  const filter = logFilterFrom(criteria, afterSeq, 0);
  for await (const message of client.tail({ partId, filter, backlog }, { signal })) yield batchFrom(message);
}

export async function queryLogs(
  channel: Channel,
  { criteria, afterSeq, beforeSeq, limit, olderToken }: LogQueryOptions,
  signal: AbortSignal,
): Promise<LogPageView> {
  const client = createClient(LogServiceDefinition, channel);
  const filter = logFilterFrom(criteria, afterSeq, beforeSeq);
  const request = { partId, filter, limit, pageToken: olderToken, newestFirst: false };
  return logPageFrom(await client.query(request, { ...quick, signal }));
}
