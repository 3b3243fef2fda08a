import type { Selectable } from 'kysely';
import { ArmatureError } from '../../base/errors.ts';
import type { Queries } from '../storage/tables.ts';
import type { DatasetSnapshotsTable } from './tables.ts';

type SnapshotRow = Selectable<DatasetSnapshotsTable>;

/** What uses a snapshot, as a sentence calls it: `the training job "3f2a"`; undefined where nothing does. */
export type SnapshotUse = (snapshotId: string, db: Queries) => Promise<string | undefined>;

/** Who uses snapshots of datasets: whoever does says so here, and none is deleted from under it. */
export class SnapshotUses {
  readonly #uses: SnapshotUse[] = [];

  add(use: SnapshotUse): void {
    this.#uses.push(use);
  }

  /** @throws {ArmatureError} `call.failed_precondition` where one of these is in use */
  async requireUnused(snapshots: { execute(): Promise<SnapshotRow[]> }, db: Queries): Promise<void> {
    if (this.#uses.length === 0) return;
    for (const { id, number } of await snapshots.execute()) {
      for (const use of this.#uses) {
        const user = await use(id, db);
        if (user === undefined) continue;
        throw new ArmatureError(
          'call.failed_precondition',
          `Snapshot ${number} is used by ${user}: wait until that has ended, or cancel it.`,
          { details: { snapshotId: id, number, user } },
        );
      }
    }
  }
}
