import { OnlineState } from '../../../proto/gen/core/app/v1/app.ts';
import type { Part } from '../fleet/parts.ts';
import type { Hub } from '../hub.ts';

/** Whether a part is there, as the app API says it. */
export interface SeenOnline {
  readonly onlineState: OnlineState;
  /** 0 where it is online, or never was. */
  readonly secondsSinceOnline: bigint;
}

export const NEVER_ONLINE: SeenOnline = { onlineState: OnlineState.AWAITING_SETUP, secondsSinceOnline: 0n };

/** Whether parts are there, by their ids. */
export async function seenOnline(hub: Hub, parts: readonly Part[]): Promise<ReadonlyMap<string, SeenOnline>> {
  const presence = await hub.live.presence.read(parts.map(({ id }) => id));
  return new Map(
    parts.map(({ id, last_access_at: lastAccess }) => {
      const row = presence.get(id);
      if (row?.is_online === 1) return [id, { onlineState: OnlineState.ONLINE, secondsSinceOnline: 0n }];
      const last = row?.last_seen_at ?? lastAccess;
      if (last === null) return [id, NEVER_ONLINE];
      const seconds = Math.max(0, Math.floor((hub.clock.now() - last) / 1_000));
      return [id, { onlineState: OnlineState.OFFLINE, secondsSinceOnline: BigInt(seconds) }];
    }),
  );
}
