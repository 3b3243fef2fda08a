import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlotBuffer } from './plot-buffer.ts';
import { droppedIn, keptTime, pannedBy, reachOf, viewOf, within, zoomedAt, type PlotView } from './plot-view.ts';

function buffer(times: readonly number[], capacity?: number): PlotBuffer {
  const filled = new PlotBuffer(capacity);
  for (const at of times) filled.add(at, at);
  return filled;
}

const reach = { from: 0, to: 60_000 };
const aTime = fc.double({ min: -20_000, max: 80_000, noNaN: true });
const aView: fc.Arbitrary<PlotView> = fc
  .record({ to: aTime, windowMs: fc.double({ min: 1, max: 90_000, noNaN: true }) })
  .map((view) => within(view, reach));

function expectWithin({ to, windowMs }: PlotView): void {
  expect(windowMs).toBeGreaterThanOrEqual(20);
  expect(to - windowMs).toBeGreaterThanOrEqual(reach.from - 1e-6);
  expect(to).toBeLessThanOrEqual(reach.to + 1e-6);
}

describe('the time that a plot can show', () => {
  it('is that of the samples that are kept, and at least the time that is shown live', () => {
    const kept = keptTime([buffer([1_000, 9_000]), buffer([]), buffer([500, 8_000])]);
    expect(kept).toEqual({ from: 500, to: 9_000 });
    expect(reachOf({ from: 500, to: 9_000 }, 30_000)).toEqual({ from: -21_000, to: 9_000 });
    expect(reachOf({ from: 500, to: 90_000 }, 30_000)).toEqual({ from: 500, to: 90_000 });
    expect(keptTime([buffer([])])).toBeUndefined();
  });

  it('says up to when its samples were dropped', () => {
    const full = buffer(
      Array.from({ length: 600 }, (_, index) => index * 20),
      512,
    );
    const droppedTo = 87 * 20;
    expect(full.droppedTo).toBe(droppedTo);
    expect(droppedIn({ to: 12_000, windowMs: 12_000 }, [buffer([5]), full])).toBe(droppedTo);
    expect(droppedIn({ to: 12_000, windowMs: 10_000 }, [full])).toBeUndefined();
  });
});

describe('a view', () => {
  it('is never outside of what can be shown, whatever is zoomed, moved and selected', () => {
    fc.assert(
      fc.property(
        aView,
        aTime,
        aTime,
        fc.double({ min: 0.001, max: 1_000, noNaN: true }),
        (view, one, other, factor) => {
          expectWithin(view);
          expectWithin(zoomedAt(view, factor, one, reach));
          expectWithin(pannedBy(view, one, reach));
          expectWithin(viewOf(one, other, reach));
        },
      ),
    );
  });

  it('keeps the time under the pointer in its place when it is zoomed', () => {
    const zoomed = zoomedAt({ to: 40_000, windowMs: 20_000 }, 0.5, 25_000, reach);
    expect(zoomed).toEqual({ to: 32_500, windowMs: 10_000 });
    expect((25_000 - (zoomed.to - zoomed.windowMs)) / zoomed.windowMs).toBe(0.25);
  });

  it('is as it was after zooming in and out in the middle', () => {
    fc.assert(
      fc.property(fc.double({ min: 20_000, max: 40_000, noNaN: true }), (at) => {
        const view = { to: 40_000, windowMs: 20_000 };
        const again = zoomedAt(zoomedAt(view, 0.5, at, reach), 2, at, reach);
        expect(again.to).toBeCloseTo(view.to, 3);
        expect(again.windowMs).toBeCloseTo(view.windowMs, 3);
      }),
    );
  });

  it('keeps its length when it is moved, and stops at the ends', () => {
    expect(pannedBy({ to: 40_000, windowMs: 10_000 }, 5_000, reach)).toEqual({ to: 45_000, windowMs: 10_000 });
    expect(pannedBy({ to: 40_000, windowMs: 10_000 }, 50_000, reach)).toEqual({ to: 60_000, windowMs: 10_000 });
    expect(pannedBy({ to: 40_000, windowMs: 10_000 }, -50_000, reach)).toEqual({ to: 10_000, windowMs: 10_000 });
  });

  it('is what was dragged over, in either direction', () => {
    expect(viewOf(10_000, 14_000, reach)).toEqual({ to: 14_000, windowMs: 4_000 });
    expect(viewOf(14_000, 10_000, reach)).toEqual({ to: 14_000, windowMs: 4_000 });
  });
});
