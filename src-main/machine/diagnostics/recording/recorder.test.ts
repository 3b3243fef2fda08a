import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { decodeBlock } from '../format/block-decoder.ts';
import { counter, gauge, type DiagnosticSource, type Reading } from '../source.ts';
import { BLOCK_SAMPLES, KEEP_SAMPLES, Recorder, type EncodedBlock } from './recorder.ts';

/** The contents of a block as text: `time source: values`, times in seconds since the clock started. */
function linesOf(records: Uint8Array, beganMs: number): string[] {
  const lines: string[] = [];
  decodeBlock(records, {
    row: (timeMs, { name }, values) => {
      lines.push(`${(timeMs - beganMs) / 1_000} ${name}: ${Array.from(values).join(' ')}`);
    },
  });
  return lines;
}

function setUp() {
  const clock = new ManualClock();
  const began = clock.now();
  const kept: Uint8Array[] = [];
  const blocks: EncodedBlock[] = [];
  const recorder = new Recorder(clock, { keep: (bytes) => kept.push(bytes), complete: (block) => blocks.push(block) });
  const linesNow = (): string[] => linesOf(recorder.openBlock.records, began);
  return { clock, began, kept, blocks, recorder, linesNow };
}

function source(name: string, read: () => ReturnType<DiagnosticSource['read']>): DiagnosticSource {
  return { name, metrics: [gauge('value', '', 10)], read };
}

/** Lets settled promises run their callbacks. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a recorder', () => {
  it('asks each source once a second, and keeps values to the steps of their metric', () => {
    const { clock, recorder, linesNow } = setUp();
    let value = 0;
    recorder.add(source('a', () => [(value += 0.26)]));
    recorder.start();
    clock.advance(3_000);
    expect(linesNow()).toEqual(['1 a: 3', '2 a: 5', '3 a: 8']);
  });

  it('leaves out what throws, says nothing or cannot be kept, and nothing else', () => {
    const { clock, recorder, linesNow } = setUp();
    recorder.add(source('throws', () => { throw new Error('broken'); })); // prettier-ignore
    recorder.add(source('says nothing', () => undefined));
    recorder.add(source('infinite', () => [Infinity]));
    recorder.add(source('well', () => [1]));
    recorder.start();
    clock.advance(1_000);
    expect(linesNow()).toEqual(['1 infinite: NaN', '1 well: 10']);
  });

  it('takes a slow source where it answers in time, and the others where it does not', async () => {
    const { clock, recorder, linesNow } = setUp();
    const answers: ((reading: Reading) => void)[] = [];
    recorder.add(source('slow', () => new Promise<Reading>((resolve) => answers.push(resolve))));
    recorder.add(source('quick', () => [1]));
    recorder.start();
    clock.advance(1_000);
    answers[0]?.([4]);
    await settled();
    expect(linesNow()).toEqual(['1 quick: 10', '1 slow: 40']);

    clock.advance(1_000); // asked, without an answer yet
    clock.advance(1_000);
    clock.advance(1_000);
    expect(answers).toHaveLength(2);
    expect(linesNow().slice(2)).toEqual(['2 quick: 10', '3 quick: 10', '4 quick: 10']);

    answers[1]?.([5]);
    await settled();
    clock.advance(1_000);
    answers[2]?.([6]);
    await settled();
    expect(linesNow().slice(5)).toEqual(['5 quick: 10', '5 slow: 60']);
  });

  it('tells the names of a source that comes anew, and none of the others', () => {
    const { clock, recorder } = setUp();
    const metrics = Array.from({ length: 20 }, (_, index) => counter(`a long name of a metric ${index}`));
    recorder.add({ name: 'many', metrics, read: () => metrics.map(() => 1) });
    const remove = recorder.add(source('module.acme', () => [1]));
    recorder.start();
    clock.advance(2_000);
    const before = recorder.openBlock.records.length;
    remove();
    recorder.add(source('module.acme', () => [2]));
    clock.advance(1_000);
    expect(recorder.openBlock.records.length - before).toBeLessThan(60);
  });

  it('gives whole blocks that can be read alone, and until then what a kill is not to cost', () => {
    const { clock, began, recorder, kept, blocks } = setUp();
    recorder.add(source('a', () => [1]));
    recorder.start();
    clock.advance(1_000 * (BLOCK_SAMPLES + KEEP_SAMPLES));
    expect(blocks).toHaveLength(1);
    expect(linesOf(blocks[0]?.records ?? new Uint8Array(), began)).toHaveLength(BLOCK_SAMPLES);
    expect(blocks[0]).toMatchObject({ firstMs: began + 1_000, lastMs: began + BLOCK_SAMPLES * 1_000 });
    // The last records of the full block are in the block.
    expect(kept).toHaveLength(BLOCK_SAMPLES / KEEP_SAMPLES - 1 + 1);
    const pieces = Buffer.concat(kept.slice(0, -1));
    expect(pieces.equals(Buffer.from(blocks[0]?.records.subarray(0, pieces.length) ?? []))).toBe(true);
    expect(linesOf(kept.at(-1) ?? new Uint8Array(), began)).toHaveLength(KEEP_SAMPLES);
  });

  it('gives what is left when it stops, and asks no more', () => {
    const { clock, recorder, blocks } = setUp();
    let asked = 0;
    recorder.add(source('a', () => [asked++]));
    recorder.start();
    clock.advance(2_000);
    recorder.stop();
    clock.advance(60_000);
    expect([asked, blocks.length, clock.pending]).toEqual([2, 1, 0]);
  });

  it('keeps the time that the wall clock showed, also when it is set back', () => {
    const { clock, began, recorder, linesNow } = setUp();
    recorder.add(source('a', () => [1]));
    recorder.start();
    clock.advance(1_000);
    clock.set(began - 3_600_000);
    clock.advance(1_000);
    expect(linesNow()).toEqual(['1 a: 10', '-3599 a: 10']);
    expect(recorder.openBlock).toMatchObject({ firstMs: began - 3_599_000, lastMs: began + 1_000 });
  });

  it('tells who watches of each sample', () => {
    const { clock, recorder } = setUp();
    recorder.add(source('a', () => [1]));
    const seen: string[] = [];
    const end = recorder.onSample(({ rows }) => seen.push(rows.map(({ source: { name } }) => name).join()));
    recorder.start();
    clock.advance(2_000);
    end();
    clock.advance(1_000);
    expect(seen).toEqual(['a', 'a']);
  });

  it('refuses two sources of the same name', () => {
    const { recorder } = setUp();
    recorder.add(source('a', () => [1]));
    expect(() => recorder.add(source('a', () => [1]))).toThrow('There is a diagnostic source a already.');
  });
});
