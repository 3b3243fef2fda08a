import type { Queries } from '../storage/tables.ts';
import type { SnapshotItem, SnapshotLabel } from './snapshots.ts';

const ROWS_AT_ONCE = 500;

/** The pictures that are in a dataset now, in the same form as those of a snapshot. */
export async function* liveItems(datasetId: string, db: Queries): AsyncGenerator<SnapshotItem> {
  let position = 0;
  for (let after = -1; ;) {
    const rows = await db
      .selectFrom('dataset_members')
      .innerJoin('binary_data', 'binary_data.number', 'dataset_members.binary_number')
      .innerJoin('captures', 'captures.id', 'binary_data.capture_id')
      .select(['binary_data.number', 'binary_data.id as binary_id', 'sha256', 'binary_data.bytes', 'received_at'])
      .select(['mime_type', 'file_ext', 'organization_id', 'location_id', 'machine_id', 'part_id', 'component_name'])
      .where('dataset_members.dataset_id', '=', datasetId)
      .where('binary_data.number', '>', after)
      .orderBy('binary_data.number')
      .limit(ROWS_AT_ONCE)
      .execute();
    if (rows.length === 0) return;
    const labels = await labelsOf(
      rows.map(({ number }) => number),
      db,
    );
    for (const { number, ...row } of rows) {
      position++;
      const own = (labels.get(number) ?? []).map((label) => ({ ...label, snapshot_id: '', position }));
      yield { ...row, snapshot_id: '', position, labels: own };
    }
    after = rows.at(-1)?.number ?? after;
  }
}

async function labelsOf(numbers: readonly number[], db: Queries) {
  const [tags, rows] = await Promise.all([
    db.selectFrom('binary_tags').selectAll().where('binary_number', 'in', numbers).orderBy('tag').execute(),
    db.selectFrom('binary_labels').selectAll().where('binary_number', 'in', numbers).orderBy('id').execute(),
  ]);
  const nothing = { confidence: null, x_min: null, y_min: null, x_max: null, y_max: null };
  type Own = Omit<SnapshotLabel, 'snapshot_id' | 'position'>;
  const all = [
    ...tags.map(({ binary_number, tag }) => ({
      of: binary_number,
      label: { kind: 'tag', id: '', label: tag, ...nothing } satisfies Own,
    })),
    ...rows.map(({ binary_number, ...label }) => ({
      of: binary_number,
      label: { ...label, kind: label.x_min === null ? 'class' : 'box' } satisfies Own,
    })),
  ];
  const grouped = Map.groupBy(all, ({ of }) => of);
  return new Map([...grouped].map(([number, each]) => [number, each.map(({ label }) => label)]));
}
