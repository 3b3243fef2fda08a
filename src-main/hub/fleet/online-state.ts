import { OnlineState } from '../../../proto/gen/core/app/v1/app.ts';
import type { Part } from './parts.ts';

/** Whether a part is there, as the app API says it. */
export interface SeenOnline {
  readonly onlineState: OnlineState;
  /** 0 where it is online, or never was. */
  readonly secondsSinceOnline: bigint;
  /** When it was last heard of: now, where it is online. Undefined where it never was. */
  readonly lastAccess: Date | undefined;
}

export const NEVER_ONLINE: SeenOnline = {
  onlineState: OnlineState.AWAITING_SETUP,
  secondsSinceOnline: 0n,
  lastAccess: undefined,
};

/** Knows which parts are there. */
export interface PresenceReader {
  /** What is known of these parts; those that never called are left out. */
  read(
    partIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly is_online: number; readonly last_seen_at: number }>>;
}

/**
 * Whether parts are there, by their ids.
 * @param now wall-clock milliseconds
 */
export async function seenOnline(
  reader: PresenceReader,
  now: number,
  parts: readonly Part[],
): Promise<ReadonlyMap<string, SeenOnline>> {
  const presence = await reader.read(parts.map(({ id }) => id));
  return new Map(
    parts.map(({ id, last_access_at: stored }) => {
      const row = presence.get(id);
      if (row?.is_online === 1) {
        return [id, { onlineState: OnlineState.ONLINE, secondsSinceOnline: 0n, lastAccess: new Date(now) }];
      }
      const last = row?.last_seen_at ?? stored;
      if (last === null) return [id, NEVER_ONLINE];
      const seconds = BigInt(Math.max(0, Math.floor((now - last) / 1_000)));
      return [id, { onlineState: OnlineState.OFFLINE, secondsSinceOnline: seconds, lastAccess: new Date(last) }];
    }),
  );
}
