import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlotBuffer } from './plot-buffer.ts';
import { extentOf, indexBefore, traceLine, traceSteps, type PathFrame } from './plot-path.ts';

class Recorder {
  readonly moves: string[] = [];
  moveTo(x: number, y: number): void {
    this.moves.push(`M${x},${y}`);
  }
  lineTo(x: number, y: number): void {
    this.moves.push(`L${x},${y}`);
  }
}

/** One pixel for 10 ms, values as pixels. */
const frame: PathFrame = { from: 0, to: 1_000, msPerPixel: 10, x: (at) => at / 10, y: (value) => value };

function traced(fill: (buffer: PlotBuffer) => void, trace = traceLine): string {
  const buffer = new PlotBuffer();
  fill(buffer);
  const sink = new Recorder();
  trace(buffer, frame, sink);
  return sink.moves.join(' ');
}

describe('the line of a channel', () => {
  it('goes through the first, lowest, highest and last sample of each pixel', () => {
    const path = traced((buffer) => {
      for (const [at, value] of [
        [100, 5],
        [101, 9],
        [102, 1],
        [103, 4],
        [110, 7],
      ] as const)
        buffer.add(at, value);
    });
    expect(path).toBe('M10,5 L10,1 L10,9 L10,4 L11,7');
  });

  it('is interrupted at a gap, and a single value is a dot', () => {
    const path = traced((buffer) => {
      buffer.add(100, 1);
      buffer.addGap();
      buffer.add(300, 2);
      buffer.add(400, 3);
    });
    expect(path).toBe('M10,1 L10.5,1 M30,2 L40,3');
  });

  it('has no more points than its width can show', () => {
    const sink = new Recorder();
    const buffer = new PlotBuffer();
    for (let at = 0; at < 1_000; at += 0.1) buffer.add(at, Math.sin(at));
    traceLine(buffer, frame, sink);
    expect(sink.moves.length).toBeLessThanOrEqual(4 * 100 + 2);
  });

  it('keeps the lowest and the highest sample of each pixel, however many there are', () => {
    const samples = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: -50, max: 50 })));
    fc.assert(
      fc.property(samples, (steps) => {
        const buffer = new PlotBuffer();
        const wanted = new Map<number, number[]>();
        let at = 0;
        for (const [step, value] of steps) {
          at += step / 100;
          buffer.add(at, value);
          wanted.set(Math.floor(at / 10), [...(wanted.get(Math.floor(at / 10)) ?? []), value]);
        }
        const drawn = new Map<number, number[]>();
        const take = (x: number, y: number): void =>
          void drawn.set(Math.floor(x), [...(drawn.get(Math.floor(x)) ?? []), y]);
        traceLine(buffer, frame, { moveTo: take, lineTo: take });
        const ends = (all: ReadonlyMap<number, number[]>) =>
          [...all].map(([column, values]) => [column, Math.min(...values), Math.max(...values)]);
        expect(ends(drawn)).toEqual(ends(wanted));
      }),
    );
  });

  it('keeps them in any view of any data with gaps', () => {
    const sample = fc.record({
      stepMs: fc.double({ min: 0.01, max: 40, noNaN: true }),
      value: fc.option(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { nil: undefined, freq: 8 }),
    });
    const view = fc.record({
      from: fc.double({ min: -100, max: 2_000, noNaN: true }),
      msPerPixel: fc.double({ min: 0.01, max: 200, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 300 }), view, (samples, { from, msPerPixel }) => {
        const buffer = new PlotBuffer();
        let now = 0;
        for (const { stepMs, value } of samples) {
          now += stepMs;
          if (value === undefined) buffer.addGap();
          // Without a zero that is negative, which is the same place.
          else buffer.add(now, value + 0);
        }
        const to = from + 100 * msPerPixel;
        const wanted = new Map<number, number[]>();
        const drawn = new Map<number, number[]>();
        const put = (all: Map<number, number[]>, column: number, value: number): void =>
          void all.set(column, [...(all.get(column) ?? []), value]);
        for (let index = indexBefore(buffer, from); index < buffer.length; index++) {
          const [at, value] = [buffer.timeAt(index), buffer.valueAt(index)];
          if (at <= to && !Number.isNaN(value)) put(wanted, Math.floor(at / msPerPixel), value);
        }
        // A point is in the middle of no column; only the end of a dot is.
        const columns: PathFrame = {
          from,
          to,
          msPerPixel,
          x: (at) => Math.floor(at / msPerPixel),
          y: (value) => value,
        };
        const take = (x: number, y: number): void => {
          if (Number.isInteger(x)) put(drawn, x, y);
        };
        traceLine(buffer, columns, { moveTo: take, lineTo: take });
        const ends = (all: ReadonlyMap<number, number[]>) =>
          [...all].map(([column, values]) => [column, Math.min(...values), Math.max(...values)]);
        expect(ends(drawn)).toEqual(ends(wanted));
      }),
    );
  });

  it('holds a step until the next one, from before the window to its end, and nothing after a gap', () => {
    expect(
      traced((buffer) => {
        buffer.addStep(-500, 3);
        buffer.addStep(400, 8);
        buffer.addStep(600, Number.NaN);
      }, traceSteps),
    ).toBe('M-50,3 L40,3 L40,8 L60,8');
    expect(traced((buffer) => buffer.addStep(-500, 3), traceSteps)).toBe('M-50,3 L100,3');
  });
});

describe('the extent of a channel', () => {
  it('covers the samples in the window, and a step that still holds', () => {
    const buffer = new PlotBuffer();
    buffer.addStep(-500, 40);
    buffer.addStep(400, 8);
    expect(extentOf(buffer, 0, 1_000, true)).toEqual({ min: 8, max: 40 });
    expect(extentOf(buffer, 0, 1_000, false)).toEqual({ min: 8, max: 8 });
    expect(extentOf(buffer, 500, 1_000, false)).toBeUndefined();
  });
});
