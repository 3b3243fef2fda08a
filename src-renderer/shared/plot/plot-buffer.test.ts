import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlotBuffer } from './plot-buffer.ts';

function samplesOf(buffer: PlotBuffer): [number, number][] {
  return Array.from({ length: buffer.length }, (_, index) => [buffer.timeAt(index), buffer.valueAt(index)]);
}

describe('the samples of a channel', () => {
  it('keeps the latest ones, in the order of their times', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3_000 }), (steps) => {
        const buffer = new PlotBuffer(1_024);
        const added: [number, number][] = [];
        let at = 0;
        for (const step of steps) {
          at += step;
          buffer.add(at, at * 2);
          added.push([at, at * 2]);
        }
        expect(samplesOf(buffer)).toEqual(added.slice(-1_024));
      }),
      { numRuns: 30 },
    );
  });

  it('does not use more memory the longer it runs', () => {
    const buffer = new PlotBuffer(2_048);
    for (let index = 0; index < 180_000; index++) buffer.add(index * 20, index);
    expect(buffer.length).toBe(2_048);
    expect(buffer.last).toEqual({ at: 179_999 * 20, value: 179_999 });
  });

  it('adds a gap after a clearly longer interval than usual, but not for slightly late values', () => {
    const buffer = new PlotBuffer();
    for (const at of [0, 20, 40, 60, 130, 150, 700, 720]) buffer.add(at, 1);
    expect(samplesOf(buffer).map(([at, value]) => (Number.isNaN(value) ? `gap ${at}` : at))).toEqual([
      0,
      20,
      40,
      60,
      130,
      150,
      'gap 151',
      700,
      720,
    ]);
  });

  it('adapts to a lower rate', () => {
    const buffer = new PlotBuffer();
    for (let at = 0; at < 1_000; at += 20) buffer.add(at, 1);
    for (let at = 1_000; at < 60_000; at += 1_000) buffer.add(at, 1);
    const lateGaps = samplesOf(buffer).filter(([at, value]) => Number.isNaN(value) && at > 10_000);
    expect(lateGaps).toEqual([]);
  });

  it('takes no value twice, and starts again when the clock of the machine was set back', () => {
    const buffer = new PlotBuffer();
    buffer.add(5_000, 1);
    buffer.add(5_000, 2);
    buffer.add(4_990, 3);
    expect(samplesOf(buffer)).toEqual([[5_000, 1]]);
    buffer.add(100, 4);
    expect(samplesOf(buffer)).toEqual([[100, 4]]);
  });

  it('keeps only changes of a stepped value', () => {
    const buffer = new PlotBuffer();
    buffer.addStep(0, 0);
    buffer.addStep(20, 0);
    buffer.addStep(9_000, 90);
    buffer.addStep(9_020, 90);
    buffer.addStep(9_040, Number.NaN);
    buffer.addStep(9_060, Number.NaN);
    expect(samplesOf(buffer)).toEqual([
      [0, 0],
      [9_000, 90],
      [9_040, Number.NaN],
    ]);
  });

  it('finds the first sample of a time', () => {
    const buffer = new PlotBuffer(512);
    for (let at = 0; at < 2_000; at += 2) buffer.add(at, 0);
    expect(buffer.timeAt(buffer.indexFrom(1_501))).toBe(1_502);
    expect(buffer.indexFrom(5_000)).toBe(buffer.length);
  });

  it('finds the last sample at or before a time', () => {
    const buffer = new PlotBuffer();
    for (const at of [10, 20, 30]) buffer.add(at, at);
    expect([9, 10, 19, 20, 35].map((at) => buffer.indexAt(at))).toEqual([-1, 0, 0, 1, 2]);
    expect(new PlotBuffer().indexAt(5)).toBe(-1);
  });

  it('knows up to which time samples were dropped, and forgets it when it is cleared', () => {
    const buffer = new PlotBuffer(512);
    for (let index = 0; index < 512; index++) buffer.add(index * 20, index);
    expect(buffer.droppedTo).toBe(Number.NEGATIVE_INFINITY);
    for (let index = 512; index < 515; index++) buffer.add(index * 20, index);
    expect(buffer.droppedTo).toBe(40);
    expect(buffer.timeAt(0)).toBe(60);
    buffer.clear();
    expect(buffer.droppedTo).toBe(Number.NEGATIVE_INFINITY);
  });
});
