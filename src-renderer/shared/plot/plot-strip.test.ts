import { describe, expect, it } from 'vitest';
import { PlotBuffer } from './plot-buffer.ts';
import { indexBefore, traceLine, traceSteps } from './plot-path.ts';
import { columnsOf, firstChanged, frameOf, lastBefore, StripSink } from './plot-strip.ts';

class Recorder {
  readonly corners: { x: number; y: number }[] = [];
  moveTo(x: number, y: number): void {
    this.corners.push({ x, y });
  }
  lineTo(x: number, y: number): void {
    this.corners.push({ x, y });
  }
}

function filled(add: (buffer: PlotBuffer) => void): PlotBuffer {
  const buffer = new PlotBuffer();
  add(buffer);
  return buffer;
}

/** A sine wave with a value every 20 ms. */
const wave = (from: number, to: number): PlotBuffer =>
  filled((buffer) => {
    for (let at = from; at < to; at += 20) buffer.add(at, 50 + 40 * Math.sin(at / 300));
  });

const widthPx = 100;
/** 30 ms a pixel. */
const windowMs = 3_000;
const asPixels = (value: number): number => value;

describe('the columns of a picture', () => {
  it('move by whole pixels, and carry the rest of the time over', () => {
    const first = columnsOf(1_000_000, windowMs, widthPx);
    expect(columnsOf(1_000_009, windowMs, widthPx).right - first.right).toBe(0);
    expect(columnsOf(1_000_020, windowMs, widthPx).right - first.right).toBe(1);
    let moved = 0;
    for (let to = 1_000_007; to <= 1_003_000; to += 7) {
      moved += columnsOf(to, windowMs, widthPx).right - columnsOf(to - 7, windowMs, widthPx).right;
    }
    expect(moved).toBe(100);
  });

  it('keep a sample at its place within a pixel', () => {
    const at = 1_763_772_000_011;
    const before = frameOf(columnsOf(at + 100, windowMs, widthPx), asPixels);
    const after = frameOf(columnsOf(at + 1_700, windowMs, widthPx), asPixels);
    expect(before.x(at) % 1).toBe(after.x(at) % 1);
    expect(Number.isInteger(before.x(at) - after.x(at))).toBe(true);
  });
});

describe('the part of a line that is redrawn', () => {
  const drawnAt = 6_000;
  const columns = columnsOf(drawnAt + 90, windowMs, widthPx);
  const drawnRight = columnsOf(drawnAt, windowMs, widthPx).right;
  const changed = (buffer: PlotBuffer, lastAt: number, isStepped = false): number | undefined =>
    firstChanged(buffer, { lastAt, anchor: undefined }, isStepped, columns, drawnRight);

  it('starts at the pixel of the last drawn sample', () => {
    // 5,940 ms is the left edge of pixel 198 of the clock; the picture begins at 103.
    expect(changed(wave(0, 6_000), 5_940)).toBe(198 - 103);
    expect(changed(wave(0, 6_000), 5_960)).toBe(198 - 103);
    expect(changed(wave(0, 6_000), 5_980)).toBe(widthPx);
  });

  it('starts at the first sample if none was drawn', () => {
    expect(changed(wave(4_000, 6_000), Number.NaN)).toBe(133 - 103);
    expect(changed(new PlotBuffer(), Number.NaN)).toBe(widthPx);
  });

  it('is empty if the new samples are after the window', () => {
    const buffer = filled((each) => {
      each.add(5_900, 1);
      each.add(6_200, 1);
    });
    expect(changed(buffer, 5_900)).toBe(widthPx);
    expect(lastBefore(buffer, 6_090)).toBe(5_900);
  });

  it('is all of it if the drawn samples do not exist any more', () => {
    expect(changed(wave(5_000, 6_000), 4_980)).toBeUndefined();
    expect(changed(new PlotBuffer(), 4_980)).toBeUndefined();
  });

  it('of steps starts at the drawn edge, or at a change that arrived late', () => {
    const held = filled((buffer) => buffer.addStep(100, 3));
    expect(changed(held, 100, true)).toBe(widthPx - 3);
    held.addStep(5_880, 4);
    expect(changed(held, 100, true)).toBe(196 - 103);
  });
});

describe('a line that is drawn in strips', () => {
  const whole = { limit: Number.NEGATIVE_INFINITY, length: 0 };
  const strip = (limit: number, length = 0): StripSink<Recorder> => new StripSink(limit, length, () => new Recorder());

  it('has the same points and dashes as the whole line', () => {
    const buffer = wave(0, 9_000);
    const frame = frameOf(columnsOf(9_000, windowMs, widthPx), asPixels);
    const all = strip(whole.limit);
    traceLine(buffer, frame, all);
    const part = strip(80);
    traceLine(buffer, frame, part);
    const [allLine, partLine] = [all.lines[0], part.lines[0]];
    const corners = allLine?.path.corners ?? [];
    const first = corners.findIndex(({ x }) => x >= 80) - 1;
    expect(partLine?.path.corners).toEqual(corners.slice(first));
    let length = 0;
    for (const [index, { x, y }] of corners.slice(0, first + 1).entries()) {
      const before = corners[index - 1];
      if (before !== undefined) length += Math.hypot(x - before.x, y - before.y);
    }
    expect(length).toBeGreaterThan(80);
    expect(partLine?.dashOffset).toBeCloseTo(length, 9);
  });

  it.each([
    { kind: 'values', trace: traceLine, buffer: wave(0, 60_000) },
    {
      kind: 'steps',
      trace: traceSteps,
      buffer: filled((buffer) => {
        for (let at = 0; at < 60_000; at += 700) buffer.addStep(at, (at / 700) % 5);
      }),
    },
  ])('of $kind keeps its dashes, however far it has moved', ({ trace, buffer }) => {
    let anchor = strip(0).anchor;
    let to = 4_000;
    const offsetAt = (time: number): number => {
      const columns = columnsOf(to, windowMs, widthPx);
      const frame = frameOf(columns, asPixels);
      const begin = anchor === undefined ? indexBefore(buffer, frame.from) : buffer.indexFrom(anchor.at);
      const sink = strip(frame.x(time), anchor?.length);
      trace(buffer, frame, sink, begin);
      anchor = sink.anchor;
      return sink.lines[0]?.dashOffset ?? Number.NaN;
    };
    const first = offsetAt(3_800);
    for (to = 4_030; to < 6_700; to += 30) offsetAt(3_800);
    expect(anchor?.at).toBeGreaterThan(2_900);
    expect(offsetAt(3_800)).toBeCloseTo(first, 6);
  });

  it('restarts its dashes after a gap', () => {
    const sink = strip(0, 7);
    sink.moveTo(-5, 1);
    sink.lineTo(10, 1);
    sink.moveTo(20, 1);
    sink.lineTo(30, 1);
    expect(sink.lines.map(({ dashOffset }) => dashOffset)).toEqual([12, 0]);
    expect(sink.lines.map(({ path }) => path.corners[0]?.x)).toEqual([0, 20]);
  });
});
