import type { Clock, Timer } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import { methodPath } from '../../rpc/outbound-call.ts';
import type { Peer } from '../../rpc/peer.ts';
import { HealthDefinition } from '../../../proto/gen/grpc/health/v1/health.ts';
import { callModule } from './module-call.ts';
import type { ModuleTiming } from './module-timing.ts';

const CHECK = methodPath(HealthDefinition, HealthDefinition.methods.check);
const EVERYTHING = new Uint8Array();

/**
 * Finds a module that hangs (B3.9): asks it now and then whether it is healthy.
 * Any answer will do, "not implemented" too: it shows that somebody takes calls
 * from the connection and answers. Ready is not asked again: what it does in a
 * program of somebody else is not ours to repeat.
 * @param onHung is called once, with how long there was no answer; a sentence without a full stop
 * @returns its end
 */
export function watchHealth(peer: Peer, clock: Clock, timing: ModuleTiming, onHung: (reason: string) => void): Timer {
  let misses = 0;
  let heardAt = clock.monotonic();
  let isAsking = false;
  const ask = async (): Promise<void> => {
    isAsking = true;
    const { status } = await callModule(peer, CHECK, EVERYTHING, timing.healthAnswerMs);
    isAsking = false;
    if (peer.isClosed) return;
    if (status.code !== StatusCode.DEADLINE_EXCEEDED) {
      misses = 0;
      heardAt = clock.monotonic();
    } else if (++misses === timing.healthMisses) {
      const silentS = Math.round((clock.monotonic() - heardAt) / 1_000);
      onHung(`it has answered nothing for ${silentS} s, ${misses} questions in a row`);
    }
  };
  return clock.every(timing.healthEveryMs, () => {
    if (!isAsking && !peer.isClosed && misses < timing.healthMisses) void ask();
  });
}
