/** State of the connection to another machine. Times are milliseconds since 1970. */
export interface RemoteStatus {
  readonly name: string;
  /** As in the configuration. */
  readonly address: string;
  readonly state: 'connecting' | 'connected' | 'failed' | 'disabled';
  /** Why it failed; '' if it did not. */
  readonly reason: string;
  /** When this state began. */
  readonly since: number;
  /** Failures in a row. */
  readonly attempts: number;
  /** Undefined where no retry is planned. */
  readonly nextRetryAt: number | undefined;
}

/** Changes of remotes. */
export interface RemoteChanges {
  readonly upserted: readonly RemoteStatus[];
  /** Names. */
  readonly removed: readonly string[];
}

/** The changes from the first to the second; undefined if they are equal. */
export function remoteChanges(
  before: readonly RemoteStatus[],
  after: readonly RemoteStatus[],
): RemoteChanges | undefined {
  const known = new Set(before);
  const names = new Set(after.map(({ name }) => name));
  const upserted = after.filter((one) => !known.has(one));
  const removed = before.flatMap(({ name }) => (names.has(name) ? [] : [name]));
  return upserted.length + removed.length === 0 ? undefined : { upserted, removed };
}
