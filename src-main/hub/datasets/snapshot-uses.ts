import type { Selectable } from 'kysely';
import { ArmatureError } from '../../base/errors.ts';
import type { Queries } from '../storage/tables.ts';
import type { DatasetSnapshotsTable } from './tables.ts';

type SnapshotRow = Selectable<DatasetSnapshotsTable>;

/** Something that uses a snapshot, such as a training job. */
export interface SnapshotUser {
  /** For messages: `the training job "3f2a"`. */
  readonly name: string;
  /** What to do before the snapshot can be deleted: `wait until that has ended, or cancel it`. */
  readonly step: string;
  /** It only refers to the snapshot, and does not need it any more: the snapshot can be deleted with `force`. */
  readonly isOver: boolean;
}

/** Finds what uses a snapshot; undefined if nothing does. */
export type SnapshotUse = (snapshotId: string, db: Queries) => Promise<SnapshotUser | undefined>;

/** Prevents the deletion of a snapshot while something uses it. Features that use snapshots register here. */
export class SnapshotUses {
  readonly #uses: SnapshotUse[] = [];

  add(use: SnapshotUse): void {
    this.#uses.push(use);
  }

  /**
   * @param force ignores uses that are over
   * @throws {ArmatureError} `call.failed_precondition` if one of these is in use
   */
  async requireUnused(snapshots: { execute(): Promise<SnapshotRow[]> }, db: Queries, force = false): Promise<void> {
    if (this.#uses.length === 0) return;
    for (const { id, number } of await snapshots.execute()) {
      for (const use of this.#uses) {
        const user = await use(id, db);
        if (user === undefined || (force && user.isOver)) continue;
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
