import { sql, type RawBuilder } from 'kysely';
import type { DatasetCounts, LabelCount } from '../../../proto/config/datasets/training-rules.ts';
import type { Queries } from '../storage/tables.ts';

/** A query with one row for each label of each picture: `picture`, `is_box`, `label`. */
export type LabelRows = RawBuilder<unknown>;

/** Labels of the pictures that are in a dataset now. */
export function labelsOfDataset(datasetId: string): LabelRows {
  return sql`
    SELECT binary_tags.binary_number AS picture, 0 AS is_box, binary_tags.tag AS label
    FROM dataset_members JOIN binary_tags ON binary_tags.binary_number = dataset_members.binary_number
    WHERE dataset_members.dataset_id = ${datasetId}
    UNION ALL
    SELECT binary_labels.binary_number, CASE WHEN binary_labels.x_min IS NULL THEN 0 ELSE 1 END, binary_labels.label
    FROM dataset_members JOIN binary_labels ON binary_labels.binary_number = dataset_members.binary_number
    WHERE dataset_members.dataset_id = ${datasetId}`;
}

/** Labels of the pictures of a snapshot. */
export function labelsOfSnapshot(snapshotId: string): LabelRows {
  return sql`
    SELECT position AS picture, CASE WHEN kind = 'box' THEN 1 ELSE 0 END AS is_box, label
    FROM dataset_snapshot_labels WHERE snapshot_id = ${snapshotId}`;
}

/**
 * Counts pictures and boxes by label.
 * @param pictures number of pictures, with or without labels
 * @param labels counts only these labels; if empty, all
 */
export async function countLabels(
  rows: LabelRows,
  pictures: number,
  labels: readonly string[],
  db: Queries,
): Promise<DatasetCounts> {
  const wanted =
    labels.length === 0
      ? rows
      : sql`SELECT picture, is_box, label FROM (${rows}) AS every WHERE label IN (${sql.join(labels)})`;
  const [{ rows: each }, { rows: kinds }, { rows: several }] = await Promise.all([
    sql<EachLabel>`
      SELECT is_box, label, COUNT(DISTINCT picture) AS pictures, COUNT(*) AS labels
      FROM (${wanted}) AS wanted GROUP BY is_box, label ORDER BY label`.execute(db),
    sql<{ kinds: number; pictures: number }>`
      SELECT kinds, COUNT(*) AS pictures FROM (
        SELECT picture, SUM(DISTINCT is_box + 1) AS kinds FROM (${wanted}) AS wanted GROUP BY picture
      ) AS each_picture GROUP BY kinds`.execute(db),
    sql<{ pictures: number }>`
      SELECT COUNT(*) AS pictures FROM (
        SELECT picture FROM (${wanted}) AS wanted WHERE is_box = 0 GROUP BY picture HAVING COUNT(DISTINCT label) > 1
      ) AS several`.execute(db),
  ]);
  // 1: only tags; 2: only boxes; 3: both.
  const picturesWith = (kind: number): number => Number(kinds.find((row) => Number(row.kinds) === kind)?.pictures ?? 0);
  const [onlyTags, onlyBoxes, both] = [picturesWith(1), picturesWith(2), picturesWith(3)];
  const countsOf = (isBox: number): LabelCount[] =>
    each
      .filter(({ is_box }) => Number(is_box) === isBox)
      .map((row) => ({ label: row.label, pictures: Number(row.pictures), boxes: isBox * Number(row.labels) }));
  return {
    pictures,
    tagged: onlyTags + both,
    severalTags: Number(several[0]?.pictures ?? 0),
    boxed: onlyBoxes + both,
    unlabelled: pictures - onlyTags - onlyBoxes - both,
    tags: countsOf(0),
    boxes: countsOf(1),
  };
}

interface EachLabel {
  readonly is_box: number;
  readonly label: string;
  readonly pictures: number;
  readonly labels: number;
}

/** How many pictures a dataset has now. */
export async function countPictures(datasetId: string, db: Queries): Promise<number> {
  const { count } = await db
    .selectFrom('dataset_members')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('dataset_id', '=', datasetId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
