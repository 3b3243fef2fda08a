import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Channel } from './possible-travel.ts';
import { QuadratureDecoder } from './quadrature-decoder.ts';
import { levelsAt } from '../quadrature.ts';

const EVERY_NS = 1_000_000n;

interface ShaftEdge {
  readonly channel: Channel;
  readonly isHigh: boolean;
  readonly timeNs: bigint;
}

/** Evenly spaced edges of a shaft that makes these moves, in half-ticks, one after the other. */
function edgesOf(runs: readonly number[]): ShaftEdge[] {
  const edges: ShaftEdge[] = [];
  let at = 0;
  for (const run of runs) {
    for (let step = 0; step < Math.abs(run); step++) {
      const before = levelsAt(at);
      at += Math.sign(run);
      const after = levelsAt(at);
      const channel = before.a === after.a ? 'b' : 'a';
      edges.push({ channel, isHigh: after[channel], timeNs: BigInt(edges.length + 1) * EVERY_NS });
    }
  }
  return edges;
}

/** A decoder that saw all edges except the lost ones; sequence numbers are the kernel's. */
function decoded(edges: readonly ShaftEdge[], isLost: (index: number) => boolean): QuadratureDecoder {
  const decoder = new QuadratureDecoder(levelsAt(0));
  const missed = { a: 0, b: 0 };
  for (const [index, edge] of edges.entries()) {
    if (isLost(index)) {
      missed[edge.channel]++;
      continue;
    }
    decoder.edge({ ...edge, missed: missed[edge.channel] });
    missed[edge.channel] = 0;
  }
  return decoder;
}

const sum = (runs: readonly number[]): number => runs.reduce((all, run) => all + run, 0);
const lost = (edges: readonly ShaftEdge[], isLost: (index: number) => boolean): number =>
  edges.filter((_, index) => isLost(index)).length;

/** Moves in alternating directions. */
const toAndFro = (least: number, most: number) =>
  fc
    .array(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 12 })
    .chain((lengths) =>
      fc
        .boolean()
        .map((isForward) => lengths.map((length, index) => ((index % 2 === 0) === isForward ? length : -length))),
    );

describe('quadrature decoder', () => {
  it('loses nothing of a shaft that turns steadily, whatever it does not see', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.boolean(), { maxLength: 60 }),
        fc.integer({ min: 0, max: 3 }),
        (isForward, mask, seenFirst) => {
          const edges = edgesOf([(isForward ? 1 : -1) * (5 + seenFirst + mask.length + 4)]);
          const isLost = (index: number): boolean => mask[index - 5 - seenFirst] === true;
          const decoder = decoded(edges, isLost);
          expect(decoder.halfTicks).toBe((isForward ? 1 : -1) * edges.length);
          expect(decoder).toMatchObject({ uncertainty: 0, uncertainEdges: 0, undecidedEdges: 0 });
          expect(decoder.missedEdges).toBe(lost(edges, isLost));
          expect(decoder.repairedEdges).toBe(decoder.missedEdges);
        },
      ),
    );
  });

  it('is right, or doubts by no less than its error, of a shaft that turns round once in a gap at most', () => {
    const gap = fc.record({ seen: fc.integer({ min: 7, max: 40 }), length: fc.integer({ min: 1, max: 6 }) });
    fc.assert(
      fc.property(toAndFro(24, 60), fc.array(gap, { maxLength: 20 }), (runs, gaps) => {
        const places = new Set<number>();
        let at = 0;
        for (const { seen, length } of gaps) {
          at += seen;
          for (let index = 0; index < length; index++) places.add(at++);
        }
        const edges = edgesOf(runs);
        const isLost = (index: number): boolean => places.has(index) && index < edges.length - 4;
        const decoder = decoded(edges, isLost);
        expect(decoder.missedEdges).toBe(lost(edges, isLost));
        expect(decoder.undecidedEdges).toBe(0);
        expect(Math.abs(decoder.halfTicks - sum(runs))).toBeLessThanOrEqual(decoder.uncertainty);
        expect(decoder.repairedEdges + decoder.uncertainEdges).toBe(decoder.missedEdges);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is right, or doubts by no less than its error, of a shaft that trembles, whatever it does not see', () => {
    fc.assert(
      fc.property(toAndFro(1, 3), fc.array(fc.boolean(), { maxLength: 30 }), (runs, mask) => {
        const edges = edgesOf([...runs, 4]);
        const isLost = (index: number): boolean => mask[index] === true && index < edges.length - 4;
        const decoder = decoded(edges, isLost);
        expect(Math.abs(decoder.halfTicks - sum(runs) - 4)).toBeLessThanOrEqual(decoder.uncertainty);
        expect(decoder.repairedEdges + decoder.uncertainEdges).toBe(decoder.missedEdges);
      }),
      { numRuns: 1_000 },
    );
  });

  it('makes good what the kernel did not count either, by the same level twice', () => {
    const decoder = new QuadratureDecoder(levelsAt(0));
    for (const [index, edge] of edgesOf([20]).entries()) if (index !== 10) decoder.edge({ ...edge, missed: 0 });
    expect(decoder).toMatchObject({ halfTicks: 20, missedEdges: 1, repairedEdges: 1, uncertainty: 0 });
  });

  it('doubts where the shaft may have turned round in the gap', () => {
    const edges = edgesOf([20, -20]);
    const decoder = decoded(edges, (index) => index === 19);
    expect(decoder).toMatchObject({ missedEdges: 1, repairedEdges: 0, uncertainEdges: 1 });
    expect(decoder.uncertainty).toBeGreaterThan(0);
  });

  it('doubts a gap that took longer than turning on, as of a program that was stopped', () => {
    const late = (ms: bigint) => {
      const decoder = new QuadratureDecoder(levelsAt(0));
      for (const [index, edge] of edgesOf([60]).entries()) {
        const timeNs = index < 20 ? edge.timeNs : edge.timeNs + ms * EVERY_NS;
        if (index < 20 || index >= 40) decoder.edge({ ...edge, timeNs, missed: index === 40 || index === 41 ? 10 : 0 });
      }
      return decoder;
    };
    expect(late(10n)).toMatchObject({ halfTicks: 60, uncertainty: 0, repairedEdges: 20 });
    expect(late(1_000n)).toMatchObject({ uncertainEdges: 20 });
    expect(late(1_000n).uncertainty).toBeGreaterThanOrEqual(Math.abs(late(1_000n).halfTicks - 60));
  });

  it('makes a gap good that ended before the shaft stood still, at its next edge', () => {
    const decoder = new QuadratureDecoder(levelsAt(0));
    for (const [index, edge] of edgesOf([23]).entries()) {
      const timeNs = edge.timeNs + (index === 22 ? 10_000n * EVERY_NS : 0n);
      if (index !== 19) decoder.edge({ ...edge, timeNs, missed: index === 21 ? 1 : 0 });
    }
    expect(decoder).toMatchObject({ halfTicks: 23, repairedEdges: 1, uncertainty: 0, undecidedEdges: 0 });
  });

  it('a reset makes it certain and keeps an odd half-tick', () => {
    const edges = edgesOf([20, -19]);
    const decoder = decoded(edges, (index) => index === 19);
    decoder.reset();
    expect(decoder).toMatchObject({ halfTicks: 1, uncertainty: 0, uncertainEdges: 0, missedEdges: 1 });
  });

  it('tells what waits for an edge of the other channel', () => {
    const edges = edgesOf([20]);
    const decoder = decoded(edges.slice(0, 13), (index) => index === 10);
    expect(decoder.undecidedEdges).toBe(1);
    expect(decoder.undecidedUncertainty).toBeGreaterThanOrEqual(Math.abs(decoder.halfTicks - 13));
    decoder.edge({ ...(edges[13] as ShaftEdge), missed: 0 });
    expect(decoder).toMatchObject({ halfTicks: 14, undecidedEdges: 0, undecidedUncertainty: 0 });
  });

  it('keeps little of a channel that trembles without end, and is still right after a loss', () => {
    const decoder = new QuadratureDecoder(levelsAt(0));
    for (let index = 0; index < 10_001; index++) {
      decoder.edge({ channel: 'a', isHigh: index % 2 === 0, missed: 0, timeNs: BigInt(index) });
    }
    decoder.edge({ channel: 'b', isHigh: true, missed: 2, timeNs: 10_001n });
    decoder.edge({ channel: 'a', isHigh: false, missed: 0, timeNs: 10_002n });
    expect(decoder).toMatchObject({ undecidedEdges: 0, uncertainEdges: 2 });
    expect(decoder.uncertainty).toBeLessThanOrEqual(8);
  });

  it('doubts where nearly every edge is lost and none can be decided', () => {
    const edges = edgesOf(Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? 9 : -8)));
    // Each edge that is seen has missing edges of its channel before it.
    const decoder = new QuadratureDecoder(levelsAt(0));
    const [missed, last] = [
      { a: 0, b: 0 },
      { a: 0, b: 0 },
    ];
    for (const edge of edges) {
      if (missed[edge.channel] < 1 + (last[edge.channel] % 2)) missed[edge.channel]++;
      else {
        decoder.edge({ ...edge, missed: missed[edge.channel] });
        missed[edge.channel] = 0;
        last[edge.channel]++;
      }
    }
    expect(Math.abs(decoder.halfTicks - 500)).toBeLessThanOrEqual(decoder.uncertainty + decoder.undecidedUncertainty);
    expect(decoder.uncertainty).toBeGreaterThan(0);
  });
});
