import type { DuckDBType, DuckDBValue, DuckDBValueConverter } from '@duckdb/node-api';
import { serialize } from 'bson';
import type { RowEncoding } from '../sql-protocol.ts';
import type { Engine } from './engine.ts';
import { QueryError } from './query-failure.ts';

/** Values that both encodings can represent. */
export type PlainValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Uint8Array
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue };

const MAX_INT64 = 2n ** 63n - 1n;

/**
 * Returns a function that converts values of DuckDB to JavaScript values. A struct field that is null is left out: all
 * readings of a query share one type, so otherwise a field of one reading would appear in the others. JSON is parsed.
 * Integers become numbers if these are exact, bigints up to 64 bits, and texts beyond. Times of day, intervals, UUIDs
 * and other types become texts as DuckDB writes them.
 */
export function plainValues(engine: Engine): (value: DuckDBValue, type: DuckDBType) => PlainValue {
  const { DuckDBTypeId: Id } = engine;
  const asIs = engine.JSDuckDBValueConverter as DuckDBValueConverter<unknown>;
  const plain = (value: DuckDBValue, type: DuckDBType): PlainValue => {
    if (value === null) return null;
    // The engine may return booleans as 0 and 1.
    if (type.typeId === Id.BOOLEAN) return Boolean(value);
    if (typeof value === 'bigint') return wholeNumber(value);
    if (typeof value === 'boolean' || typeof value === 'number') return value;
    if (typeof value === 'string') return type.alias === 'JSON' ? (JSON.parse(value) as PlainValue) : value;
    if (value instanceof engine.DuckDBListValue || value instanceof engine.DuckDBArrayValue) {
      const { valueType } = type as { readonly valueType: DuckDBType } & DuckDBType;
      return value.items.map((item) => plain(item, valueType));
    }
    if (value instanceof engine.DuckDBStructValue && type.typeId === Id.STRUCT) {
      const entries = Object.entries(value.entries).filter(([, inner]) => inner !== null);
      return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner, type.typeForEntry(name))]));
    }
    if (value instanceof engine.DuckDBMapValue && type.typeId === Id.MAP) {
      const { keyType, valueType } = type;
      return Object.fromEntries(
        value.entries.map(({ key, value: inner }) => [nameOf(plain(key, keyType)), plain(inner, valueType)]),
      );
    }
    if (value instanceof engine.DuckDBUnionValue && type.typeId === Id.UNION) {
      return plain(value.value, type.memberTypeForTag(value.tag));
    }
    switch (type.typeId) {
      case Id.DATE:
      case Id.TIMESTAMP:
      case Id.TIMESTAMP_S:
      case Id.TIMESTAMP_MS:
      case Id.TIMESTAMP_NS:
      case Id.TIMESTAMP_TZ:
        return timeOf(value, type, asIs);
      case Id.DECIMAL:
      case Id.BLOB:
        return asIs(value, type, asIs) as number | Uint8Array;
      default:
        return String(value);
    }
  };
  return plain;
}

/** Returns a function that encodes a row. @param names unique names of the columns */
export function rowEncoder(
  encoding: RowEncoding,
  names: readonly string[],
): (row: readonly PlainValue[]) => Uint8Array {
  if (encoding === 'json') return (row) => Buffer.from(JSON.stringify(row, jsonValue));
  return (row) => {
    try {
      return serialize(Object.fromEntries(row.map((value, index) => [names[index] ?? '', value])));
    } catch (thrown) {
      throw new QueryError({
        reason: 'query',
        message: `A row cannot be written as BSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      });
    }
  };
}

/** Replacer: values that JSON cannot represent become texts. Dates are converted by their `toJSON` before. */
function jsonValue(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function wholeNumber(value: bigint): number | bigint | string {
  if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  return value > MAX_INT64 || value < -MAX_INT64 - 1n ? String(value) : value;
}

/** Infinite times, and times out of the range of a JavaScript date, become texts. */
function timeOf(value: DuckDBValue, type: DuckDBType, convert: DuckDBValueConverter<unknown>): Date | string {
  try {
    return convert(value, type, convert) as Date;
  } catch {
    return String(value);
  }
}

function nameOf(key: PlainValue): string {
  return typeof key === 'string' ? key : JSON.stringify(key, jsonValue);
}
