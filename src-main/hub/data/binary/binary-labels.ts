import type { Selectable } from 'kysely';
import type { Annotations } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { notFound } from '../../places/fleet-errors.ts';
import { newId } from '../../places/ids.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';
import { checkLabel, type Label } from '../captures/labels.ts';
import type { BinaryLabelsTable } from '../tables.ts';

type LabelRow = Selectable<BinaryLabelsTable>;

/** Change of a box. What is undefined stays unchanged. */
export interface BoxChange {
  readonly label: string | undefined;
  readonly confidence: number | undefined;
  /** Left, top, right, bottom. */
  readonly edges: readonly [number | undefined, number | undefined, number | undefined, number | undefined];
}

/** Labels of one picture. */
export const MAX_LABELS = 1_000;
const NO_LABELS: Annotations = { bboxes: [], classifications: [] };

/** Checks the labels that a picture is uploaded with. @throws {ArmatureError} `call.bad_argument` */
export function labelsOf({ bboxes, classifications }: Annotations = NO_LABELS): Label[] {
  const labels = [
    ...bboxes.map(({ label, confidence, xMinNormalized, yMinNormalized, xMaxNormalized, yMaxNormalized }) => ({
      label,
      confidence: confidence ?? null,
      edges: [xMinNormalized, yMinNormalized, xMaxNormalized, yMaxNormalized] as const,
    })),
    ...classifications.map(({ label, confidence }) => ({ label, confidence: confidence ?? null, edges: undefined })),
  ];
  if (labels.length > MAX_LABELS) throw tooMany(labels.length);
  return labels.map(checkLabel);
}

/** Inserts labels that were checked. @returns their ids */
export async function insertLabels(
  binaryNumber: number,
  labels: readonly Label[],
  tx: WriteTransaction,
): Promise<string[]> {
  if (labels.length === 0) return [];
  const rows = labels.map((label) => ({ id: newId(), binary_number: binaryNumber, ...columnsOf(label) }));
  await tx.insertInto('binary_labels').values(rows).execute();
  return rows.map(({ id }) => id);
}

/** Adds a label to a picture. @returns its id @throws {ArmatureError} `call.bad_argument` */
export async function addLabel(binaryNumber: number, label: Label, tx: WriteTransaction): Promise<string> {
  const { count } = await tx
    .selectFrom('binary_labels')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('binary_number', '=', binaryNumber)
    .executeTakeFirstOrThrow();
  if (count >= MAX_LABELS) throw tooMany(count + 1);
  const [id = ''] = await insertLabels(binaryNumber, [checkLabel(label)], tx);
  return id;
}

/** Changes a box. @throws {ArmatureError} `call.not_found`, `call.bad_argument` */
export async function changeBox(
  binaryNumber: number,
  id: string,
  change: BoxChange,
  tx: WriteTransaction,
): Promise<void> {
  const row = await tx.selectFrom('binary_labels').selectAll().where('id', '=', id).executeTakeFirst();
  const { label, confidence, edges } = row?.binary_number === binaryNumber ? labelOf(row) : {};
  if (label === undefined || confidence === undefined || edges === undefined) throw notFound('box', id);
  const changed = checkLabel({
    label: change.label ?? label,
    confidence: change.confidence ?? confidence,
    edges: [
      change.edges[0] ?? edges[0],
      change.edges[1] ?? edges[1],
      change.edges[2] ?? edges[2],
      change.edges[3] ?? edges[3],
    ],
  });
  await tx.updateTable('binary_labels').set(columnsOf(changed)).where('id', '=', id).execute();
}

/** @throws {ArmatureError} `call.not_found` */
export async function removeBox(binaryNumber: number, id: string, tx: WriteTransaction): Promise<void> {
  const rows = tx.deleteFrom('binary_labels').where('id', '=', id).where('binary_number', '=', binaryNumber);
  const { numDeletedRows } = await rows.where('x_min', 'is not', null).executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw notFound('box', id);
}

/** Labels of several pictures, by the numbers of the pictures. */
export async function annotationsOf(
  binaryNumbers: readonly number[],
  db: Queries,
): Promise<ReadonlyMap<number, Annotations>> {
  if (binaryNumbers.length === 0) return new Map();
  const rows = await db
    .selectFrom('binary_labels')
    .selectAll()
    .where('binary_number', 'in', binaryNumbers)
    .orderBy('id')
    .execute();
  return new Map(
    [...Map.groupBy(rows, ({ binary_number }) => binary_number)].map(([number, labels]) => [number, messageOf(labels)]),
  );
}

function messageOf(rows: readonly LabelRow[]): Annotations {
  const annotations: Annotations = { bboxes: [], classifications: [] };
  for (const row of rows) {
    const { label, edges } = labelOf(row);
    const confidence = row.confidence ?? undefined;
    if (edges === undefined) {
      annotations.classifications.push({ id: row.id, label, confidence });
      continue;
    }
    const [xMinNormalized, yMinNormalized, xMaxNormalized, yMaxNormalized] = edges;
    const box = { xMinNormalized, yMinNormalized, xMaxNormalized, yMaxNormalized };
    annotations.bboxes.push({ id: row.id, label, ...box, confidence });
  }
  return annotations;
}

function labelOf({ label, confidence, x_min, y_min, x_max, y_max }: LabelRow): Label {
  const isBox = x_min !== null && y_min !== null && x_max !== null && y_max !== null;
  return { label, confidence, edges: isBox ? [x_min, y_min, x_max, y_max] : undefined };
}

function columnsOf({ label, confidence, edges }: Label): Omit<LabelRow, 'id' | 'binary_number'> {
  const [x_min = null, y_min = null, x_max = null, y_max = null] = edges ?? [];
  return { label, confidence, x_min, y_min, x_max, y_max };
}

function tooMany(count: number): ArmatureError {
  return new ArmatureError('call.bad_argument', `The picture has ${count} labels; at most ${MAX_LABELS} are kept.`);
}
