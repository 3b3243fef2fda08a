import type { Notification } from '../../../../proto/config/triggers/trigger.ts';

/** All e-mail goes by one server. */
export const MAIL_LANE = 'smtp';

/** What has a share of the sending of its own, so that one that is slow delays no other. */
export function laneOf({ type, value }: Pick<Notification, 'type' | 'value'>): string {
  return type === 'email' ? MAIL_LANE : new URL(value).host.slice(0, 300);
}
