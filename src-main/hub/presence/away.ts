import { ArmatureError } from '../../base/errors.ts';
import { membershipOf } from '../places/membership.ts';
import type { Store } from '../storage/store.ts';
import type { PresenceBook } from './presence-book.ts';

/**
 * The error for a call to a part that is not connected; says what to do.
 * @throws {ArmatureError} `call.not_found`
 */
export async function unreachable(
  store: Store,
  book: Pick<PresenceBook, 'read'>,
  partId: string,
): Promise<ArmatureError> {
  const { membership } = await membershipOf(store, partId);
  const presence = (await book.read([partId])).get(partId);
  const name = `The machine "${membership.machineName}"`;
  const message =
    presence === undefined
      ? `${name} has never connected to this hub: give its configuration file the "cloud" block of this part.`
      : `${name} is offline: it was last seen at ${new Date(presence.last_seen_at).toISOString()}. This works again when it is online.`;
  return new ArmatureError('part.unreachable', message, { details: { lastSeenMs: presence?.last_seen_at ?? 0 } });
}
