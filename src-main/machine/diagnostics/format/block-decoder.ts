import type { MetricDescription } from '../source.ts';
import { ByteReader, Malformed, unzigzag } from './bytes.ts';
import { limits } from './limits.ts';
import { recordKinds } from './record-kinds.ts';

/** A source as a block describes it. */
export interface DecodedSource {
  readonly name: string;
  readonly metrics: readonly MetricDescription[];
}

/** Receives the contents of a block, in order. */
export interface BlockVisitor {
  source?(source: DecodedSource): void;
  /** @param values in steps, NaN where one is missing; the array is reused */
  row?(timeMs: number, source: DecodedSource, values: Float64Array): void;
}

interface SourceState extends DecodedSource {
  readonly known: Float64Array;
  readonly before: Float64Array;
}

/**
 * Reads the complete and valid records of a block.
 * @returns whether that was all of it
 */
export function decodeBlock(bytes: Uint8Array, visitor: BlockVisitor): boolean {
  const reader = new ByteReader(bytes);
  const sources: SourceState[] = [];
  let time = 0;
  try {
    while (!reader.isAtEnd) {
      const kind = reader.varint();
      if (kind === recordKinds.source) {
        if (sources.length >= limits.sources) throw new Malformed('too many sources');
        const source = readSource(reader);
        sources.push(source);
        visitor.source?.(source);
      } else if (kind === recordKinds.sample) {
        time += unzigzag(reader.varint());
        readRows(reader, sources, time, visitor);
      } else throw new Malformed(`there is no record ${kind}`);
    }
    return true;
  } catch (thrown) {
    if (thrown instanceof Malformed) return false;
    throw thrown;
  }
}

function readSource(reader: ByteReader): SourceState {
  const name = reader.text(limits.text);
  const count = reader.varint();
  if (count > limits.metrics) throw new Malformed('too many metrics');
  const metrics: MetricDescription[] = [];
  for (let index = 0; index < count; index++) {
    const [metric, unit] = [reader.text(limits.text), reader.text(limits.text)];
    const kind = reader.varint() === 1 ? 'counter' : 'gauge';
    metrics.push({ name: metric, unit, kind, steps: Math.max(1, reader.varint()) });
  }
  return { name, metrics, known: new Float64Array(count), before: new Float64Array(count).fill(Number.NaN) };
}

function readRows(reader: ByteReader, sources: readonly SourceState[], time: number, visitor: BlockVisitor): void {
  const rows = reader.varint();
  let next = 0;
  for (let row = 0; row < rows; row++) {
    const code = reader.varint();
    const id = next + Math.floor(code / 2);
    const source = sources[id];
    if (source === undefined) throw new Malformed(`there is no source ${id}`);
    next = id + 1;
    if (code % 2 === 1) readValues(reader, source);
    visitor.row?.(time, source, source.before);
  }
}

function readValues(reader: ByteReader, { known, before }: SourceState): void {
  for (let index = 0; index < known.length; index++) {
    const code = reader.varint();
    if (code === 0) before[index] = Number.NaN;
    else before[index] = known[index] = (known[index] ?? 0) + unzigzag(code - 1);
  }
}
