import { Delivery_State, type Delivery } from '../../../../proto/gen/core/hub/v1/trigger.ts';
import type { Tone } from '../../../shared/machine/rpc/status-merge.ts';
import type { Text } from '../../../shared/text.ts';
import { formatAge } from '../../../shared/timing/age.ts';

type Told = Pick<Delivery, 'state' | 'attempts' | 'responseStatus' | 'nextTry' | 'failure'>;

/** How a delivery stands, in a word or two: `200`, `delivered`, `waiting`, `tried 2 times`, `given up`. */
export function stateWords({ state, attempts, responseStatus }: Told, t: Text): string {
  if (state === Delivery_State.DELIVERED)
    return responseStatus > 0 ? String(responseStatus) : t('triggers.delivery.delivered');
  if (state === Delivery_State.DEAD) return t('triggers.delivery.dead');
  return attempts === 0 ? t('triggers.delivery.queued') : t('triggers.delivery.retrying');
}

export function stateTone({ state, attempts }: Told): Tone | 'info' {
  if (state === Delivery_State.DELIVERED) return 'ok';
  if (state === Delivery_State.DEAD) return 'bad';
  return attempts === 0 ? 'info' : 'warn';
}

/** What is said beside it: tries, the next one, why the last one failed. '' where there is nothing to say. */
export function stateDetail({ state, attempts, nextTry, responseStatus }: Told, now: number, t: Text): string {
  const parts: string[] = [];
  if (attempts > 1 || (attempts === 1 && state !== Delivery_State.DELIVERED)) {
    parts.push(t('triggers.delivery.tries', { count: attempts }));
  }
  if (state !== Delivery_State.DELIVERED && responseStatus > 0) {
    parts.push(t('triggers.delivery.answered', { status: responseStatus }));
  }
  if (state === Delivery_State.QUEUED && attempts > 0 && nextTry !== undefined) {
    const inMs = nextTry.getTime() - now;
    parts.push(inMs <= 0 ? t('triggers.delivery.nextNow') : t('triggers.delivery.next', { age: formatAge(inMs) }));
  }
  return parts.join(' · ');
}
