import type { Selectable } from 'kysely';
import { ArmatureError } from '../../base/errors.ts';
import type { Queries } from '../storage/tables.ts';
import type { DatasetSnapshotsTable } from './tables.ts';

type SnapshotRow = Selectable<DatasetSnapshotsTable>;

/** What uses a snapshot. */
export interface SnapshotUser {
  /** As a sentence calls it: `the training job "3f2a"`. */
  readonly name: string;
  /** What is to be done before the snapshot may go: `wait until that has ended, or cancel it`. */
  readonly step: string;
  /** It needs the snapshot no more: it only says where something came from, and whoever insists may delete it. */
  readonly isOver: boolean;
}

/** Undefined where nothing uses it. */
export type SnapshotUse = (snapshotId: string, db: Queries) => Promise<SnapshotUser | undefined>;

/** Who uses snapshots of datasets: whoever does says so here, and none is deleted from under it. */
export class SnapshotUses {
  readonly #uses: SnapshotUse[] = [];

  add(use: SnapshotUse): void {
    this.#uses.push(use);
  }

  /**
   * @param insists whoever deletes them knows that something was made from them
   * @throws {ArmatureError} `call.failed_precondition` where one of these is in use
   */
  async requireUnused(snapshots: { execute(): Promise<SnapshotRow[]> }, db: Queries, insists = false): Promise<void> {
    if (this.#uses.length === 0) return;
    for (const { id, number } of await snapshots.execute()) {
      for (const use of this.#uses) {
        const user = await use(id, db);
        if (user === undefined || (insists && user.isOver)) continue;
        throw new ArmatureError(
          'call.failed_precondition',
          `Snapshot ${number} is used by ${user.name}: ${user.step}.`,
          {
            details: { snapshotId: id, number, user: user.name, isOver: user.isOver },
          },
        );
      }
    }
  }
}
