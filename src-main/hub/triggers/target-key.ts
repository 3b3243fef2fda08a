import { createHash } from 'node:crypto';
import type { Notification } from '../../../proto/config/triggers/trigger.ts';

/** A short key of a notification's target, for indexes: URLs may have thousands of bytes. */
export function targetKey({ type, value }: Pick<Notification, 'type' | 'value'>): string {
  return createHash('sha256').update(`${type} ${value}`).digest('hex');
}
