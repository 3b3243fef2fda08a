import { WatchServiceDefinition, type WatchUpdate } from '../../../../proto/gen/core/watch/v1/watch.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { WatchReading, WatchRequest } from '../poll.ts';

/** Polls over one stream. @param requests at least one */
export async function* watchReadings(
  channel: Channel,
  requests: readonly WatchRequest[],
  signal: AbortSignal,
): AsyncGenerator<WatchReading> {
  const client = createClient(WatchServiceDefinition, channel);
  const methods = new Map(requests.map(({ id, method }) => [id, method]));
  const items = requests.map(({ id, resource, method, request, frequencyHz }) => ({
    id,
    resource,
    method: method.name,
    request,
    interval: intervalOf(frequencyHz),
  }));
  for await (const update of client.watch({ items }, { signal })) {
    const method = methods.get(update.id);
    if (method === undefined) continue;
    const common = {
      id: update.id,
      method,
      machineAt: update.time?.getTime() ?? Date.now(),
      ageMs: ageOf(update),
      skipped: update.skipped,
    };
    if (update.result?.$case === 'response') {
      yield { ...common, value: method.responseType.decode(update.result.value), error: '' };
    } else if (update.result?.$case === 'error') {
      yield { ...common, value: undefined, error: update.result.value.message };
    }
  }
}

function intervalOf(frequencyHz: number): { seconds: bigint; nanos: number } {
  const ms = 1_000 / frequencyHz;
  return { seconds: BigInt(Math.floor(ms / 1_000)), nanos: Math.round((ms % 1_000) * 1e6) };
}

function ageOf({ age }: WatchUpdate): number {
  return age === undefined ? 0 : Number(age.seconds) * 1000 + age.nanos / 1e6;
}
