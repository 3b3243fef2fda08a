import { WatchServiceDefinition, type WatchUpdate } from '../../../../proto/gen/core/watch/v1/watch.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { shortName, type WatchReading, type WatchRequest } from '../machine-view.ts';
import { watchCodecs } from '../watch-methods.ts';

export async function* watchReadings(
  channel: Channel,
  request: WatchRequest,
  signal: AbortSignal,
): AsyncGenerator<WatchReading> {
  const client = createClient(WatchServiceDefinition, channel);
  const codec = watchCodecs[request.method];
  const item = {
    id: 'value',
    resource: request.resource,
    method: codec.method,
    request: codec.encode(shortName(request.resource), request.part),
    interval: { seconds: 0n, nanos: Math.round(1e9 / request.frequencyHz) },
  };
  for await (const update of client.watch({ items: [item] }, { signal })) {
    const ageMs = ageOf(update);
    if (update.result?.$case === 'response') {
      yield { value: codec.decode(update.result.value), error: '', ageMs };
    } else if (update.result?.$case === 'error') {
      yield { value: undefined, error: update.result.value.message, ageMs };
    }
  }
}

function ageOf({ age }: WatchUpdate): number {
  return age === undefined ? 0 : Number(age.seconds) * 1000 + age.nanos / 1e6;
}
