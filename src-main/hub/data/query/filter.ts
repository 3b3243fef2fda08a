import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import { canonicalApi } from '../../../../proto/config/names.ts';
import { TagsFilterType, type Filter, type TagsFilter } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { escaped } from '../../storage/like.ts';
import type { Tables } from '../../storage/tables.ts';
import type { CaptureCondition } from './scope.ts';

/** A condition on pieces of binary data. */
export type BinaryCondition = (where: ExpressionBuilder<Tables, 'binary_data'>) => Expression<SqlBool>;

/** Selects captured data. All conditions hold at once; what is undefined does not restrict. */
export interface DataQuery {
  readonly isBinary: boolean;
  readonly capture: CaptureCondition;
  /** Condition on tags, boxes and datasets of binary data; undefined if there is none. */
  readonly item: BinaryCondition | undefined;
  /** Interval of the time received, wall-clock milliseconds, without its end. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

/** Values in one list of a filter. */
const MAX_VALUES = 1_000;

/** Converts a filter of the wire to a query for readings. @throws {ArmatureError} `call.bad_argument` */
export function readingsQuery(filter: Filter | undefined, visible: CaptureCondition): DataQuery {
  // Only binary data has boxes and datasets.
  const isNone = filter !== undefined && (filter.bboxLabels.length > 0 || filter.datasetId !== '');
  return {
    isBinary: false,
    capture: (where) =>
      where.and([
        visible(where),
        ...captureConditions(filter, where),
        ...tagConditions(filter?.tagsFilter, captureTags(where)),
        ...(isNone ? [where.lit(false)] : []),
      ]),
    item: undefined,
    ...intervalOf(filter),
  };
}

/** Converts a filter of the wire to a query for binary data. @throws {ArmatureError} `call.bad_argument` */
export function binaryQuery(filter: Filter | undefined, visible: CaptureCondition): DataQuery {
  const item: BinaryCondition = (where) => where.and([...itemConditions(filter, where)]);
  const isItem = filter !== undefined && hasItemConditions(filter);
  return {
    isBinary: true,
    capture: (where) => where.and([visible(where), ...captureConditions(filter, where)]),
    item: isItem ? item : undefined,
    ...intervalOf(filter),
  };
}

/** Condition: `core:component:sensor` and `rdk:component:sensor` match that type, `sensor` any type with that name. */
export function isOfType(type: string, where: ExpressionBuilder<Tables, 'captures'>): Expression<SqlBool> {
  const api = canonicalApi(type);
  if (api !== undefined) return where('captures.component_type', '=', api);
  return where.or([
    where('captures.component_type', '=', type),
    sql<SqlBool>`captures.component_type LIKE ${`%:${escaped(type)}`} ESCAPE '!'`,
  ]);
}

/** Conditions for a filter of tags. @param has condition: one of these tags, any tag, or no tag */
function tagConditions(
  filter: TagsFilter | undefined,
  has: (tags: readonly string[] | 'any' | 'none') => Expression<SqlBool>,
): Expression<SqlBool>[] {
  switch (filter?.type) {
    case TagsFilterType.TAGGED:
      return [has('any')];
    case TagsFilterType.UNTAGGED:
      return [has('none')];
    default:
      return filter === undefined || filter.tags.length === 0 ? [] : [has(requireMaxValues('tags', filter.tags))];
  }
}

/** Tag conditions for readings, which have the tags of their capture. */
function captureTags(where: ExpressionBuilder<Tables, 'captures'>) {
  return (tags: readonly string[] | 'any' | 'none'): Expression<SqlBool> => {
    const rows = where
      .selectFrom('capture_tags')
      .select('capture_tags.tag')
      .whereRef('capture_tags.capture_id', '=', 'captures.id');
    if (tags === 'none') return where.not(where.exists(rows));
    return where.exists(tags === 'any' ? rows : rows.where('capture_tags.tag', 'in', tags));
  };
}

function captureConditions(
  filter: Filter | undefined,
  where: ExpressionBuilder<Tables, 'captures'>,
): Expression<SqlBool>[] {
  if (filter === undefined) return [];
  const equal = [
    ['captures.component_name', filter.componentName],
    ['captures.method_name', filter.method],
    ['captures.machine_name', filter.robotName],
    ['captures.machine_id', filter.robotId],
    ['captures.part_name', filter.partName],
    ['captures.part_id', filter.partId],
  ] as const;
  const oneOf = [
    ['captures.location_id', requireMaxValues('location_ids', filter.locationIds)],
    ['captures.organization_id', requireMaxValues('organization_ids', filter.organizationIds)],
    ['captures.mime_type', requireMaxValues('mime_type', filter.mimeType)],
  ] as const;
  return [
    ...equal.filter(([, value]) => value !== '').map(([column, value]) => where(column, '=', value)),
    ...oneOf.filter(([, values]) => values.length > 0).map(([column, values]) => where(column, 'in', values)),
    ...(filter.componentType === '' ? [] : [isOfType(filter.componentType, where)]),
  ];
}

function hasItemConditions({ tagsFilter, bboxLabels, datasetId }: Filter): boolean {
  return tagsFilter !== undefined || bboxLabels.length > 0 || datasetId !== '';
}

function itemConditions(
  filter: Filter | undefined,
  where: ExpressionBuilder<Tables, 'binary_data'>,
): Expression<SqlBool>[] {
  const tagged = (tags: readonly string[] | 'any' | 'none'): Expression<SqlBool> => {
    const rows = where
      .selectFrom('binary_tags')
      .select('binary_tags.tag')
      .whereRef('binary_tags.binary_number', '=', 'binary_data.number');
    if (tags === 'none') return where.not(where.exists(rows));
    return where.exists(tags === 'any' ? rows : rows.where('binary_tags.tag', 'in', tags));
  };
  const boxes = where
    .selectFrom('binary_labels')
    .select('binary_labels.id')
    .whereRef('binary_labels.binary_number', '=', 'binary_data.number')
    .where('binary_labels.x_min', 'is not', null);
  const members = where
    .selectFrom('dataset_members')
    .select('dataset_members.dataset_id')
    .whereRef('dataset_members.binary_number', '=', 'binary_data.number');
  const labels = requireMaxValues('bbox_labels', filter?.bboxLabels ?? []);
  const datasetId = filter?.datasetId ?? '';
  return [
    ...tagConditions(filter?.tagsFilter, tagged),
    ...(labels.length > 0 ? [where.exists(boxes.where('binary_labels.label', 'in', labels))] : []),
    ...(datasetId === '' ? [] : [where.exists(members.where('dataset_members.dataset_id', '=', datasetId))]),
  ];
}

function intervalOf(filter: Filter | undefined): Pick<DataQuery, 'startMs' | 'endMs'> {
  return { startMs: timeOf(filter?.interval?.start), endMs: timeOf(filter?.interval?.end) };
}

/** Wall-clock milliseconds. @throws {ArmatureError} `call.bad_argument` for an invalid time */
export function timeOf(time: Date | undefined): number | undefined {
  const ms = time?.getTime();
  if (Number.isNaN(ms)) throw new ArmatureError('call.bad_argument', 'A time of the interval is out of range.');
  return ms;
}

function requireMaxValues(what: string, values: readonly string[]): readonly string[] {
  if (values.length <= MAX_VALUES) return values;
  throw new ArmatureError(
    'call.bad_argument',
    `"${what}" has ${values.length} values; at most ${MAX_VALUES} are allowed.`,
  );
}
