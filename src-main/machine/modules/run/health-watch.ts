import type { Clock, Timer } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import { methodPath } from '../../../rpc/peer/outbound-call.ts';
import { HealthDefinition } from '../../../../proto/gen/grpc/health/v1/health.ts';
import { formatSeconds } from '../../graph/description.ts';
import { callModule } from './module-call.ts';
import type { ModuleTiming } from './module-timing.ts';
import type { PeerActivity } from './peer-activity.ts';

const CHECK = methodPath(HealthDefinition, HealthDefinition.methods.check);
const EVERYTHING = new Uint8Array();

export interface HealthObserver {
  /**
   * The module has not answered for a while, or answers again. @param reason the end of a sentence, without a full
   * stop; '' if it answers
   */
  onSilent(reason: string): void;
  /** The module is considered hung. Called once, with the same kind of reason. */
  onHung(reason: string): void;
}

/**
 * Detects a hung module by periodic health checks. Any answer counts, even "not implemented", and so does the answer to
 * any other call: it shows that the module takes calls and answers. Ready is not used, because it may have side effects
 * in a module.
 *
 * Slow is not hung: a program with one thread answers nothing while it loads a model. Silence is reported first, and
 * counts as a hang only after `hangMs`. A call that the module took while it still answered has its own time limit,
 * which may be longer. Later calls do not count; otherwise repeated attempts would keep a hung module alive.
 * @returns a function that stops the checks
 */
export function watchHealth(
  peer: PeerActivity,
  clock: Clock,
  { healthEveryMs, healthAnswerMs, healthMisses, hangMs }: ModuleTiming,
  observer: HealthObserver,
): Timer {
  let misses = 0;
  let silentSince = 0;
  let firstMissAt = 0;
  let isAsking = false;
  let isHung = false;
  const missed = (askedAt: number): void => {
    const now = clock.monotonic();
    if (misses++ === 0) [silentSince, firstMissAt] = [askedAt, now];
    const silentMs = now - silentSince;
    const reason = `has not answered for ${formatSeconds(silentMs)}`;
    if (silentMs >= hangMs && !peer.hasCallBegunBy(firstMissAt)) {
      isHung = true;
      observer.onHung(reason);
    } else if (misses >= healthMisses) observer.onSilent(reason);
  };
  const ask = async (): Promise<void> => {
    const askedAt = clock.monotonic();
    isAsking = true;
    const { status } = await callModule({ start: peer.ask }, CHECK, EVERYTHING, Math.min(healthAnswerMs, hangMs));
    isAsking = false;
    if (peer.isClosed) return;
    if (status.code === StatusCode.DEADLINE_EXCEEDED && peer.heardAt < askedAt) {
      missed(askedAt);
      return;
    }
    if (misses >= healthMisses) observer.onSilent('');
    misses = 0;
  };
  return clock.every(Math.min(healthEveryMs, hangMs), () => {
    if (!isAsking && !peer.isClosed && !isHung) void ask();
  });
}
