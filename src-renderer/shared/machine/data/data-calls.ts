import type { BinaryMetadata, CaptureMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { DataSource, Retention, SeriesBucket } from '../../../../proto/gen/core/hub/v1/data.ts';

/** One method of one resource of one part, as calls name it. */
export type SourceName = Pick<DataSource, 'partId' | 'componentType' | 'componentName' | 'methodName'>;

/** What is asked for of a source. Times are wall-clock ms: from, and before; undefined is open. */
export interface ItemFilter {
  readonly source: SourceName;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Any of these; none restricts nothing. */
  readonly tags: readonly string[];
}

export interface PageQuery extends ItemFilter {
  /** Items at most. */
  readonly limit: number;
  /** Of the page before; '' for the newest. */
  readonly token: string;
}

/** A piece of the past, newest first. */
export interface ItemPage<Item> {
  readonly items: readonly Item[];
  /** Of the next older page; '' where there is none. */
  readonly olderToken: string;
}

/** One reading. Times are wall-clock ms of the machine. */
export interface ReadingItem {
  readonly at: number;
  readonly requestedAt: number | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** A reading with where it comes from. */
export interface ExportedReading extends ReadingItem {
  readonly origin: CaptureMetadata | undefined;
}

export interface SeriesQuery {
  readonly source: SourceName;
  /** Keys of objects, and positions in lists, from the payload inwards. */
  readonly path: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Stretches of equal length. */
  readonly pixels: number;
}

export interface SeriesAnswer {
  readonly buckets: readonly SeriesBucket[];
  /** Readings before it were looked at, ms; undefined where all were. */
  readonly searchedTo: number | undefined;
}

/** Rows that a query in SQL selected. */
export interface QueryTable {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** JSON values in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
  /** There are more rows. */
  readonly isCut: boolean;
  /** Readings that were looked at. */
  readonly readings: number;
}

/** Why a query has no answer. */
export interface QueryMistake {
  readonly message: string;
  /** Characters of the query before the place that is meant; undefined where there is none. */
  readonly position: number | undefined;
}

export type QueryOutcome = ({ readonly kind: 'table' } & QueryTable) | ({ readonly kind: 'mistake' } & QueryMistake);

/** What machines have captured, as the hub of this page has it. */
export interface DataCalls {
  sources(signal: AbortSignal): Promise<readonly DataSource[]>;
  series(query: SeriesQuery, signal: AbortSignal): Promise<SeriesAnswer>;
  readings(query: PageQuery, signal: AbortSignal): Promise<ItemPage<ReadingItem>>;
  countReadings(filter: ItemFilter, signal: AbortSignal): Promise<number>;
  /** All of them in the order of their time, asked for as fast as they are read. */
  exportReadings(filter: ItemFilter, signal: AbortSignal): AsyncIterable<ExportedReading>;
  /** @param olderThanDays 0 for all of them. @returns how many */
  deleteReadings(organizationId: string, source: SourceName, olderThanDays: number): Promise<number>;
  pictures(query: PageQuery, signal: AbortSignal): Promise<ItemPage<BinaryMetadata>>;
  countPictures(filter: ItemFilter, signal: AbortSignal): Promise<number>;
  /** What is known of one; undefined where there is none. */
  picture(id: string, signal: AbortSignal): Promise<BinaryMetadata | undefined>;
  /** Its bytes, in pieces. */
  download(id: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** @returns how many */
  deletePictures(ids: readonly string[]): Promise<number>;
  /** Tags that occur in what a filter selects, whatever tags it asks for. */
  tags(filter: ItemFilter, signal: AbortSignal): Promise<readonly string[]>;
  addTags(ids: readonly string[], tags: readonly string[]): Promise<void>;
  removeTags(ids: readonly string[], tags: readonly string[]): Promise<void>;
  /** Runs one SELECT on the readings of an organization. */
  query(organizationId: string, sql: string, mostRows: number, signal: AbortSignal): Promise<QueryOutcome>;
  retention(organizationId: string, signal: AbortSignal): Promise<Retention>;
  setRetention(organizationId: string, retention: Retention): Promise<void>;
}
