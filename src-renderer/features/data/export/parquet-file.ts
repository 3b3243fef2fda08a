import { ByteWriter, ParquetWriter, type BasicType, type SchemaElement } from 'hyparquet-writer';
import type { ExportedReading } from '../../../shared/machine/data/data-calls.ts';
import { fieldName, fieldPointer, leavesOf } from '../../../shared/readings/fields.ts';
import { ExportStopped, mostColumns, type CountedFile, type ReadingFile } from './reading-file.ts';

/** Values of a group of rows, at most: it is in memory until it is written. */
const groupValues = 500_000;
const groupRows = 50_000;

type Kind = 'number' | 'boolean' | 'string' | 'json';

interface Column {
  readonly name: string;
  /** Undefined while it had no value but null. */
  kind: Kind | undefined;
}

const types: Readonly<Record<Kind, BasicType>> = {
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  string: 'STRING',
  json: 'JSON',
};

/**
 * A table with a type for each column, compressed with Snappy: the time of each reading and its fields, as in a CSV file.
 * A field that has values of several types is JSON. Written in groups of rows, so that memory holds one of them.
 */
export class ParquetFile implements ReadingFile {
  readonly #file: CountedFile;
  readonly #columns = new Map<string, Column>();
  #bytes = new GroupBytes();
  #writer: ParquetWriter | undefined;
  /** Columns of the file as it was begun. */
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
    if (length >= groupRows || length * (this.#order.length + 1) >= groupValues) await this.#writeGroup();
    return true;
  }

  learn({ payload }: ExportedReading): void {
    for (const { path, value } of leavesOf(payload)) {
      const pointer = fieldPointer(path);
      const column = this.#columns.get(pointer);
      if (column === undefined) this.#columns.set(pointer, { name: fieldName(path), kind: widened(undefined, value) });
      else column.kind = widened(column.kind, value);
    }
    if (this.#columns.size > mostColumns) throw new ExportStopped('columns');
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

/** What is written since it was last taken; `offset` goes on counting, because a Parquet file names places in itself. */
class GroupBytes extends ByteWriter {
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.getBytes().slice();
    this.index = 0;
    return bytes;
  }
}

/** The kind of a column that has one more value. */
function widened(kind: Kind | undefined, value: unknown): Kind | undefined {
  if (value === null || value === undefined || kind === 'json') return kind;
  const own = typeof value === 'object' ? 'json' : (typeof value as 'number' | 'boolean' | 'string');
  return kind === undefined || kind === own ? own : 'json';
}

/** A reading may have a field of that name itself. */
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
