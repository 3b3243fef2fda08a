import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockEncoder, inSteps } from './block-encoder.ts';
import { limits } from './limits.ts';
import { decode, encode, steps } from './testing/random-block.ts';

describe('a block', () => {
  it('is read as it was written, whatever sources come and whatever they say', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { bytes, rows } = encode(all);
        expect(decode(bytes)).toEqual({ isWhole: true, rows });
      }),
    );
  });

  it('that ends anywhere gives what was whole before', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { bytes, rows } = encode(all);
        for (let length = 0; length < bytes.length; length++) {
          const found = decode(bytes.subarray(0, length)).rows;
          expect(found).toEqual(rows.slice(0, found.length));
        }
      }),
      { numRuns: 10 },
    );
  });

  it(
    'with any other bytes in it is read without a throw, and gives no more rows than it has bytes',
    { timeout: 60_000 },
    () => {
      fc.assert(
        fc.property(steps, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 20 }), (all, changes) => {
          const bytes = Uint8Array.from(encode(all).bytes);
          for (const [place, byte] of changes) if (bytes.length > 0) bytes[place % bytes.length] = byte;
          expect(decode(bytes).rows.length).toBeLessThanOrEqual(bytes.length);
        }),
      );
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
          expect(decode(bytes).rows.length).toBeLessThanOrEqual(bytes.length);
        }),
      );
    },
  );

  it('keeps counters exact far beyond where a 32-bit float stops counting', () => {
    const encoder = new BlockEncoder();
    const id = encoder.define('calls', [{ name: 'requests', unit: '', kind: 'counter', steps: 1 }]);
    const counts = [16_777_216, 16_777_217, 16_777_218, 2 ** 40 + 1];
    counts.forEach((count, second) => encoder.sample(second * 1_000, [{ id, values: Float64Array.of(count) }]));
    expect(decode(encoder.since(0)).rows.map(({ values }) => values[0])).toEqual(counts);
  });

  it('has one byte for a source that says the same again', () => {
    const encoder = new BlockEncoder();
    const metrics = Array.from({ length: 50 }, (_, index) => ({
      name: String(index),
      unit: '',
      kind: 'gauge' as const,
      steps: 1,
    }));
    const row = { id: encoder.define('system', metrics), values: new Float64Array(50).fill(7) };
    encoder.sample(0, [row]);
    encoder.sample(60, [row]);
    const before = encoder.length;
    encoder.sample(120, [row]);
    // The record, its time, the number of rows, and this row.
    expect(encoder.length - before).toBe(1 + 1 + 1 + 1);
  });
});

describe('a value in steps', () => {
  it.each([
    [0.25, 100, 25],
    [-0.001, 100, 0],
    [undefined, 1, Number.NaN],
    [Number.NaN, 1, Number.NaN],
    [Infinity, 1, Number.NaN],
    [limits.value, 1, limits.value],
    [limits.value, 2, Number.NaN],
  ])('%s in steps of 1/%s is %s', (value, stepsOfUnit, expected) => {
    expect(inSteps(value, stepsOfUnit)).toBe(expected);
  });
});
