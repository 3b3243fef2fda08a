import { OnlineState } from '../../../proto/gen/core/app/v1/app.ts';
import type { Part } from './parts.ts';

/** The online state of a part, in the terms of the app API. */
export interface SeenOnline {
  readonly onlineState: OnlineState;
  /** 0 if it is online or never was. */
  readonly secondsSinceOnline: bigint;
  /** When it was last seen: now if it is online, undefined if it never was. */
  readonly lastAccess: Date | undefined;
}

export const NEVER_ONLINE: SeenOnline = {
  onlineState: OnlineState.AWAITING_SETUP,
  secondsSinceOnline: 0n,
  lastAccess: undefined,
};

/** Reads which parts are online. */
export interface PresenceReader {
  /** Presence of these parts; parts that never connected are left out. */
  read(
    partIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly is_online: number; readonly last_seen_at: number }>>;
}

/**
 * Online states of parts, by part id.
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
