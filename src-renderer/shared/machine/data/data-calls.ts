import type { BinaryMetadata, CaptureMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { DataSource, Retention, SeriesBucket } from '../../../../proto/gen/core/hub/v1/data.ts';

/** One method of one resource of one part, as calls identify it. */
export type SourceName = Pick<DataSource, 'partId' | 'componentType' | 'componentName' | 'methodName'>;

/** Filter of a source. Times are wall-clock ms: `from` inclusive, `to` exclusive; undefined does not restrict. */
export interface ItemFilter {
  readonly source: SourceName;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Any of these; an empty list does not restrict. */
  readonly tags: readonly string[];
}

export interface PageQuery extends ItemFilter {
  /** Maximum of items. */
  readonly limit: number;
  /** Token from the previous page; '' for the newest. */
  readonly token: string;
}

/** A page of items, newest first. */
export interface ItemPage<Item> {
  readonly items: readonly Item[];
  /** Token of the next older page; '' if there is none. */
  readonly olderToken: string;
}

/** One reading. Times are wall-clock ms of the machine. */
export interface ReadingItem {
  readonly at: number;
  readonly requestedAt: number | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** A reading with its origin. */
export interface ExportedReading extends ReadingItem {
  readonly origin: CaptureMetadata | undefined;
}

export interface SeriesQuery {
  readonly source: SourceName;
  /** Keys of objects and indexes of lists, from the outside of the payload inwards. */
  readonly path: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Number of stretches of equal length. */
  readonly pixels: number;
}

export interface SeriesAnswer {
  readonly buckets: readonly SeriesBucket[];
  /** Only readings before this time were searched, ms; undefined if all were. */
  readonly searchedTo: number | undefined;
}

/** Rows that a query in SQL selected. */
export interface QueryTable {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** JSON values in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
  /** Whether there are more rows. */
  readonly isCut: boolean;
  /** Number of readings that were searched. */
  readonly readings: number;
}

/** Why a query has no answer. */
export interface QueryMistake {
  readonly message: string;
  /** Offset of the mistake in the query, in characters; undefined if it has no place. */
  readonly position: number | undefined;
}

export type QueryOutcome = ({ readonly kind: 'table' } & QueryTable) | ({ readonly kind: 'mistake' } & QueryMistake);

/** The data that machines have captured, in the hub of this page. */
export interface DataCalls {
  sources(signal: AbortSignal): Promise<readonly DataSource[]>;
  series(query: SeriesQuery, signal: AbortSignal): Promise<SeriesAnswer>;
  readings(query: PageQuery, signal: AbortSignal): Promise<ItemPage<ReadingItem>>;
  countReadings(filter: ItemFilter, signal: AbortSignal): Promise<number>;
  /** All matching readings in order of time, requested as fast as they are read. */
  exportReadings(filter: ItemFilter, signal: AbortSignal): AsyncIterable<ExportedReading>;
  /** @param olderThanDays 0 for all. @returns how many were deleted */
  deleteReadings(organizationId: string, source: SourceName, olderThanDays: number): Promise<number>;
  pictures(query: PageQuery, signal: AbortSignal): Promise<ItemPage<BinaryMetadata>>;
  countPictures(filter: ItemFilter, signal: AbortSignal): Promise<number>;
  /** Metadata of a picture; undefined if there is none. */
  picture(id: string, signal: AbortSignal): Promise<BinaryMetadata | undefined>;
  /** The bytes of a picture, in pieces. */
  download(id: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** @returns how many were deleted */
  deletePictures(ids: readonly string[]): Promise<number>;
  /** Tags of the items that a filter selects; ignores the tags of the filter. */
  tags(filter: ItemFilter, signal: AbortSignal): Promise<readonly string[]>;
  addTags(ids: readonly string[], tags: readonly string[]): Promise<void>;
  removeTags(ids: readonly string[], tags: readonly string[]): Promise<void>;
  /** Runs one SELECT on the readings of an organization. */
  query(organizationId: string, sql: string, mostRows: number, signal: AbortSignal): Promise<QueryOutcome>;
  retention(organizationId: string, signal: AbortSignal): Promise<Retention>;
  setRetention(organizationId: string, retention: Retention): Promise<void>;
}
