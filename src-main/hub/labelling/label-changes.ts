import type { BoundingBox } from '../../../proto/gen/core/app/data/v1/data.ts';
import { ArmatureError } from '../../base/errors.ts';
import { MAX_LABELS } from '../data/binary/binary-labels.ts';
import { checkLabel, checkTags } from '../data/captures/labels.ts';
import type { WriteTransaction } from '../storage/tables.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Labels to add to a picture and to remove from it. */
export interface LabelChange {
  readonly putBoxes: readonly BoundingBox[];
  readonly removeBoxIds: readonly string[];
  readonly addTags: readonly string[];
  /** Removes tags and also classes with these labels. */
  readonly removeTags: readonly string[];
}

/**
 * Changes labels of a picture. It is idempotent: a client that got no answer may send the same change again.
 * @throws {ArmatureError} `call.bad_argument`
 */
export async function changeLabels(binaryNumber: number, change: LabelChange, tx: WriteTransaction): Promise<void> {
  const [added, removed] = [checkTags(change.addTags), checkTags(change.removeTags)];
  const boxes = change.putBoxes.map((box) => rowOf(binaryNumber, box));
  for (const ids of [change.removeBoxIds, removed]) requireMaxLabels(ids.length);

  if (removed.length > 0) {
    const tags = tx.deleteFrom('binary_tags').where('binary_number', '=', binaryNumber);
    await tags.where('tag', 'in', removed).execute();
    const classes = tx.deleteFrom('binary_labels').where('binary_number', '=', binaryNumber);
    await classes.where('x_min', 'is', null).where('label', 'in', removed).execute();
  }
  if (change.removeBoxIds.length > 0) {
    const rows = tx.deleteFrom('binary_labels').where('binary_number', '=', binaryNumber);
    await rows.where('x_min', 'is not', null).where('id', 'in', change.removeBoxIds).execute();
  }
  if (added.length > 0) {
    const rows = added.map((tag) => ({ binary_number: binaryNumber, tag }));
    await tx
      .insertInto('binary_tags')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  for (const box of boxes) {
    const row = tx.selectFrom('binary_labels').select(['binary_number', 'x_min']).where('id', '=', box.id);
    const known = await row.executeTakeFirst();
    if (known === undefined) {
      await tx.insertInto('binary_labels').values(box).execute();
    } else if (known.binary_number === binaryNumber && known.x_min !== null) {
      await tx.updateTable('binary_labels').set(box).where('id', '=', box.id).execute();
    } else {
      throw new ArmatureError('call.bad_argument', `The id "${box.id}" is that of another label: make a new UUID.`);
    }
  }
  const { count } = await tx
    .selectFrom('binary_labels')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('binary_number', '=', binaryNumber)
    .executeTakeFirstOrThrow();
  requireMaxLabels(Number(count));
}

function rowOf(binaryNumber: number, box: BoundingBox) {
  if (!UUID.test(box.id)) {
    throw new ArmatureError(
      'call.bad_argument',
      `The id of the box "${box.label.slice(0, 80)}" is "${box.id.slice(0, 80)}": it must be a UUID in lower case.`,
    );
  }
  const edges = [box.xMinNormalized, box.yMinNormalized, box.xMaxNormalized, box.yMaxNormalized] as const;
  const { label, confidence } = checkLabel({ label: box.label, confidence: box.confidence ?? null, edges });
  const [x_min, y_min, x_max, y_max] = edges;
  return { id: box.id, binary_number: binaryNumber, label, confidence, x_min, y_min, x_max, y_max };
}

function requireMaxLabels(count: number): void {
  if (count <= MAX_LABELS) return;
  throw new ArmatureError('call.bad_argument', `The picture has ${count} labels; at most ${MAX_LABELS} are kept.`);
}
