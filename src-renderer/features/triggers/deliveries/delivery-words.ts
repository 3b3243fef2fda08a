import { Delivery_State, type Delivery } from '../../../../proto/gen/core/hub/v1/trigger.ts';
import type { Tone } from '../../../shared/machine/rpc/status-merge.ts';
import type { Text } from '../../../shared/text.ts';
import { formatAge } from '../../../shared/timing/age.ts';

type DeliveryState = Pick<Delivery, 'state' | 'attempts' | 'responseStatus' | 'nextTry' | 'failure'>;

/** The state of a delivery in a word or two; for an answered webhook, the status code. */
export function stateWords({ state, attempts, responseStatus }: DeliveryState, t: Text): string {
  if (state === Delivery_State.DELIVERED)
    return responseStatus > 0 ? String(responseStatus) : t('triggers.delivery.delivered');
  if (state === Delivery_State.DEAD) return t('triggers.delivery.dead');
  return attempts === 0 ? t('triggers.delivery.queued') : t('triggers.delivery.retrying');
}

export function stateTone({ state, attempts }: DeliveryState): Tone | 'info' {
  if (state === Delivery_State.DELIVERED) return 'ok';
  if (state === Delivery_State.DEAD) return 'bad';
  return attempts === 0 ? 'info' : 'warn';
}

/** Details of the state: number of tries, the last status code, and the next try; '' if there are none. */
export function stateDetail({ state, attempts, nextTry, responseStatus }: DeliveryState, now: number, t: Text): string {
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
