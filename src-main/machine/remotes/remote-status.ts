/** How the connection to another machine is. Times are milliseconds since 1970. */
export interface RemoteStatus {
  readonly name: string;
  /** As the configuration has it. */
  readonly address: string;
  readonly state: 'connecting' | 'connected' | 'failed' | 'disabled';
  /** Why it failed; else ''. */
  readonly reason: string;
  /** When it came into this state. */
  readonly since: number;
  /** Failures in a row. */
  readonly attempts: number;
  /** Undefined where no retry is planned. */
  readonly nextRetryAt: number | undefined;
}

/** What has changed of remotes. */
export interface RemoteChanges {
  readonly upserted: readonly RemoteStatus[];
  /** Names. */
  readonly removed: readonly string[];
}

/** What makes the second of the first; undefined where they are the same. */
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
