import fc from 'fast-check';
import type { MetricDescription } from '../../source.ts';
import { BlockEncoder, type SourceRow } from '../block-encoder.ts';
import { decodeBlock, type DecodedSource } from '../block-decoder.ts';
import { limits } from '../limits.ts';

/** An action of a recorder: a new source, or a moment with values of some of the sources. */
export type Step =
  | { readonly kind: 'source'; readonly name: string; readonly metrics: readonly MetricDescription[] }
  | { readonly kind: 'sample'; readonly timeMs: number; readonly said: readonly (readonly number[] | undefined)[] };

export interface DecodedRow {
  readonly timeMs: number;
  readonly source: DecodedSource;
  readonly values: readonly number[];
}

const metric: fc.Arbitrary<MetricDescription> = fc.record({
  name: fc.string({ maxLength: 8 }),
  unit: fc.constantFrom('', 's', 'B', 'µs'),
  kind: fc.constantFrom('gauge' as const, 'counter' as const),
  steps: fc.integer({ min: 1, max: 1_000_000 }),
});
const value = fc.oneof(
  fc.constantFrom(0, 1, -1, limits.value, -limits.value, Number.NaN),
  fc.integer({ min: -limits.value, max: limits.value }),
  fc.integer({ min: -300, max: 300 }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('source' as const),
    name: fc.string({ unit: 'grapheme', maxLength: 8 }),
    metrics: fc.array(metric, { maxLength: 6 }),
  }),
  fc.record({
    kind: fc.constant('sample' as const),
    timeMs: fc.integer({ min: -1_000_000, max: 4_000_000_000_000 }),
    said: fc.array(fc.option(fc.array(value, { minLength: 6, maxLength: 6 }), { nil: undefined }), { maxLength: 8 }),
  }),
);
/** What a recorder might do while a block is open. */
export const steps = fc.array(step, { maxLength: 30 });

/** Writes them, and returns what reading has to give. */
export function encode(all: readonly Step[]): { readonly bytes: Uint8Array; readonly rows: readonly DecodedRow[] } {
  const encoder = new BlockEncoder();
  const sources: DecodedSource[] = [];
  const rows: DecodedRow[] = [];
  for (const one of all) {
    if (one.kind === 'source') {
      encoder.define(one.name, one.metrics);
      sources.push({ name: one.name, metrics: one.metrics });
      continue;
    }
    const said: SourceRow[] = sources.flatMap((source, id) => {
      const values = one.said[id]?.slice(0, source.metrics.length);
      if (values === undefined) return [];
      rows.push({ timeMs: one.timeMs, source, values });
      return { id, values: Float64Array.from(values) };
    });
    encoder.sample(one.timeMs, said);
  }
  return { bytes: encoder.since(0), rows };
}

/** All rows of a block, and whether it was read completely. */
export function decode(bytes: Uint8Array): { readonly isWhole: boolean; readonly rows: readonly DecodedRow[] } {
  const rows: DecodedRow[] = [];
  const isWhole = decodeBlock(bytes, {
    row: (timeMs, { name, metrics }, values) => {
      rows.push({
        timeMs,
        source: { name, metrics: metrics.map((one) => ({ ...one })) },
        values: Array.from(values),
      });
    },
  });
  return { isWhole, rows };
}
