import { ByteWriter, ParquetWriter, type BasicType, type SchemaElement } from 'hyparquet-writer';
import type { ExportedReading } from '../../../shared/machine/data/data-calls.ts';
import { fieldName, fieldPointer, leavesOf } from '../../../shared/readings/fields.ts';
import { ExportStopped, MAX_COLUMNS, type CountedFile, type ReadingFile } from './reading-file.ts';

/** Limits of a group of rows, which is in memory until it is written. */
const MAX_GROUP_VALUES = 500_000;
const MAX_GROUP_ROWS = 50_000;

type Kind = 'number' | 'boolean' | 'string' | 'json';

interface Column {
  readonly name: string;
  /** Undefined while all its values are null. */
  kind: Kind | undefined;
}

const types: Readonly<Record<Kind, BasicType>> = {
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  string: 'STRING',
  json: 'JSON',
};

/**
 * A table with typed columns, compressed with Snappy: the time of each reading and its fields, as in a CSV file. A
 * field with values of several types is stored as JSON. Written in groups of rows, so that memory holds only one group.
 */
export class ParquetFile implements ReadingFile {
  readonly #file: CountedFile;
  readonly #columns = new Map<string, Column>();
  #bytes = new GroupBytes();
  #writer: ParquetWriter | undefined;
  /** Pointers of the columns with which the file was started. */
  #order: readonly string[] = [];
  #times: Date[] = [];
  #values: unknown[][] = [];

  constructor(file: CountedFile) {
    this.#file = file;
  }

  begin(): void {
    this.#writer = undefined;
  }

  async add(reading: ExportedReading): Promise<boolean> {
    if (this.#writer === undefined) {
      if (this.#columns.size === 0) this.learn(reading);
      this.#open();
    }
    const leaves = new Map<string, unknown>();
    for (const { path, value } of leavesOf(reading.payload)) {
      const pointer = fieldPointer(path);
      const column = this.#columns.get(pointer);
      if (column === undefined || widened(column.kind, value) !== column.kind) return false;
      leaves.set(pointer, value);
    }
    this.#times.push(new Date(reading.at));
    for (const [index, pointer] of this.#order.entries()) this.#values[index]?.push(leaves.get(pointer) ?? null);
    const { length } = this.#times;
    if (length >= MAX_GROUP_ROWS || length * (this.#order.length + 1) >= MAX_GROUP_VALUES) await this.#writeGroup();
    return true;
  }

  learn({ payload }: ExportedReading): void {
    for (const { path, value } of leavesOf(payload)) {
      const pointer = fieldPointer(path);
      const column = this.#columns.get(pointer);
      if (column === undefined) this.#columns.set(pointer, { name: fieldName(path), kind: widened(undefined, value) });
      else column.kind = widened(column.kind, value);
    }
    if (this.#columns.size > MAX_COLUMNS) throw new ExportStopped('columns');
  }

  async end(): Promise<void> {
    if (this.#writer === undefined) this.#open();
    await this.#writeGroup();
    await this.#writer?.finish();
    await this.#file.write(this.#bytes.take());
  }

  #open(): void {
    this.#bytes = new GroupBytes();
    this.#order = [...this.#columns.keys()];
    this.#clear();
    const columns = [...this.#columns.values()].map(({ name, kind = 'json' }) =>
      element(name, types[kind], 'OPTIONAL'),
    );
    const schema = [
      { name: 'root', num_children: columns.length + 1 },
      element(timeName(this.#columns.values()), 'TIMESTAMP', 'REQUIRED'),
      ...columns,
    ];
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: 'armature' });
  }

  async #writeGroup(): Promise<void> {
    if (this.#times.length === 0) return;
    const names = this.#order.map((pointer) => this.#columns.get(pointer)?.name ?? '');
    const columnData = [
      { name: timeName(this.#columns.values()), data: this.#times },
      ...names.map((name, index) => ({ name, data: this.#values[index] ?? [] })),
    ];
    await this.#writer?.write({ columnData, rowGroupSize: this.#times.length });
    this.#clear();
    await this.#file.write(this.#bytes.take());
  }

  #clear(): void {
    this.#times = [];
    this.#values = this.#order.map(() => []);
  }
}

/**
 * Collects the bytes written since the last `take`. `offset` keeps counting: a Parquet file contains offsets into
 * itself.
 */
class GroupBytes extends ByteWriter {
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.getBytes().slice();
    this.index = 0;
    return bytes;
  }
}

/** The kind of a column after another value is added. */
function widened(kind: Kind | undefined, value: unknown): Kind | undefined {
  if (value === null || value === undefined || kind === 'json') return kind;
  const own = typeof value === 'object' ? 'json' : (typeof value as 'number' | 'boolean' | 'string');
  return kind === undefined || kind === own ? own : 'json';
}

/** Name of the time column, with underscores where a field of the readings has the same name. */
function timeName(columns: Iterable<Column>): string {
  const names = new Set([...columns].map(({ name }) => name.toLowerCase()));
  let name = 'time';
  while (names.has(name)) name = `_${name}`;
  return name;
}

function element(name: string, type: BasicType, repetition: 'OPTIONAL' | 'REQUIRED'): SchemaElement {
  const common = { name, repetition_type: repetition };
  switch (type) {
    case 'TIMESTAMP':
      return {
        ...common,
        ...{ type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      };
    case 'STRING':
      return { ...common, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
    case 'JSON':
      return { ...common, type: 'BYTE_ARRAY', converted_type: 'JSON' };
    case 'BOOLEAN':
      return { ...common, type: 'BOOLEAN' };
    default:
      return { ...common, type: 'DOUBLE' };
  }
}
