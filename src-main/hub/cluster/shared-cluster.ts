import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Store } from '../storage/store.ts';
import type { Cluster } from './cluster.ts';
import { Members } from './members.ts';
import { PostgresNotices } from './postgres-notices.ts';

export interface SharedClusterOptions {
  readonly store: Store;
  /** `postgres://...` */
  readonly database: string;
  readonly hubId: string;
  /** Where the other hubs reach this one. */
  readonly address: string;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when this hub is no longer a member: it has to end. */
  readonly onLost: (reason: string) => void;
}

/** A cluster of hubs that serve one PostgreSQL database, seen from one of them. */
export class SharedCluster implements Cluster {
  readonly hubId: string;
  readonly isShared = true;
  readonly notices: PostgresNotices;
  readonly members: Members;

  private constructor(hubId: string, notices: PostgresNotices, members: Members) {
    this.hubId = hubId;
    this.notices = notices;
    this.members = members;
  }

  /** @throws {ArmatureError} `store.unavailable`; `call.failed_precondition` if a hub of another version is running */
  static async join(options: SharedClusterOptions): Promise<SharedCluster> {
    const { store, database, hubId, address, version, clock, logger, onLost } = options;
    const members = new Members({ store, self: { id: hubId, address }, version, clock, logger, onLost });
    const notices = await PostgresNotices.open({ address: database, hubId, clock, logger });
    try {
      await members.start();
    } catch (thrown) {
      await notices.close();
      throw thrown;
    }
    return new SharedCluster(hubId, notices, members);
  }

  async close(): Promise<void> {
    await this.members.close();
    await this.notices.close();
  }
}
