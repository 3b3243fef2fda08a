import type { ExpressionBuilder } from 'kysely';
import { Labelled, type DatasetPicturesRequest } from '../../../proto/gen/core/hub/v1/dataset.ts';
import type { Queries, Tables } from '../storage/tables.ts';

/** Ids in one answer. */
export const MAX_PICTURES = 50_000;

/** Ids of the pictures of a dataset that match, in the order of capture, and how many match in all. */
export async function picturesOf(
  { datasetId, labelled, tag, boxLabel }: DatasetPicturesRequest,
  db: Queries,
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  let rows = db
    .selectFrom('dataset_members')
    .innerJoin('binary_data', 'binary_data.number', 'dataset_members.binary_number')
    .where('dataset_members.dataset_id', '=', datasetId);
  if (labelled !== Labelled.UNSPECIFIED) {
    rows = rows.where((where) => {
      const has = where.or([where.exists(tagsOf(where)), where.exists(labelsOf(where))]);
      return labelled === Labelled.YES ? has : where.not(has);
    });
  }
  if (tag !== '') {
    rows = rows.where((where) =>
      where.or([
        where.exists(tagsOf(where).where('binary_tags.tag', '=', tag)),
        where.exists(labelsOf(where).where('binary_labels.label', '=', tag).where('binary_labels.x_min', 'is', null)),
      ]),
    );
  }
  if (boxLabel !== '') {
    rows = rows.where((where) => {
      const boxes = labelsOf(where).where('binary_labels.x_min', 'is not', null);
      return where.exists(boxes.where('binary_labels.label', '=', boxLabel));
    });
  }
  const [found, { count }] = await Promise.all([
    rows
      .select('binary_data.id')
      .orderBy('binary_data.received_at')
      .orderBy('binary_data.number')
      .limit(MAX_PICTURES)
      .execute(),
    rows.select((select) => select.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
  ]);
  return { ids: found.map(({ id }) => id), total: Number(count) };
}

type Where = ExpressionBuilder<Pick<Tables, 'binary_data' | 'binary_tags' | 'binary_labels'>, 'binary_data'>;

function tagsOf(where: Where) {
  return where
    .selectFrom('binary_tags')
    .select('binary_tags.tag')
    .whereRef('binary_tags.binary_number', '=', 'binary_data.number');
}

function labelsOf(where: Where) {
  return where
    .selectFrom('binary_labels')
    .select('binary_labels.id')
    .whereRef('binary_labels.binary_number', '=', 'binary_data.number');
}
