import { LogServiceDefinition } from '../../../../proto/gen/core/log/v1/log.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { batchFrom, levelsFrom } from '../from-proto.ts';
import type { LogTailOptions } from '../machine.ts';
import type { LogBatch } from '../machine-view.ts';
import { partId } from './call-options.ts';

export async function* tailLogs(
  channel: Channel,
  options: LogTailOptions,
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  const client = createClient(LogServiceDefinition, channel);
  const filter = {
    levels: levelsFrom(options.minimumLevel),
    logger: '',
    resource: options.resource ?? '',
    text: '',
    afterSeq: 0n,
    beforeSeq: 0n,
  };
  for await (const message of client.tail({ partId, filter, backlog: options.backlog }, { signal })) {
    yield batchFrom(message);
  }
}
