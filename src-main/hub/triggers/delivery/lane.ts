import type { Notification } from '../../../../proto/config/triggers/trigger.ts';

/** The lane of all e-mail, which uses one server. */
export const MAIL_LANE = 'smtp';

/** The lane of a notification. Each lane has its own share of the attempts, so that a slow one delays no other. */
export function laneOf({ type, value }: Pick<Notification, 'type' | 'value'>): string {
  return type === 'email' ? MAIL_LANE : new URL(value).host.slice(0, 300);
}
