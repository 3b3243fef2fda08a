import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { possibleTravel, widestTravel, type Channel, type SeenEdge } from './possible-travel.ts';

/** Half-ticks of a complete sequence of edges. */
function travelOf(areDifferent: boolean, word: readonly Channel[]): number {
  let differ = areDifferent;
  return word.reduce((sum, channel) => {
    differ = !differ;
    return sum + (differ === (channel === 'a') ? 1 : -1);
  }, 0);
}

/** Every complete sequence, by brute force. */
function allTravels(areDifferent: boolean, edges: readonly SeenEdge[]): number[] {
  const channels = ['a', 'b'] as const;
  const words: Channel[][] = [];
  const grow = (word: Channel[], index: number, missing: Record<Channel, number>): void => {
    const edge = edges[index];
    if (edge === undefined) words.push(word);
    else if (missing[edge.channel] === edge.missing) {
      grow([...word, edge.channel], index + 1, { ...missing, [edge.channel]: 0 });
    }
    for (const channel of channels) {
      const next = edges.slice(index).find((later) => later.channel === channel);
      if (next === undefined || missing[channel] >= next.missing) continue;
      grow([...word, channel], index, { ...missing, [channel]: missing[channel] + 1 });
    }
  };
  grow([], 0, { a: 0, b: 0 });
  return words.map((word) => travelOf(areDifferent, word));
}

const edge = fc.record({ channel: fc.constantFrom<Channel>('a', 'b'), missing: fc.integer({ min: 0, max: 2 }) });

describe('possible travel', () => {
  it('is that of the only sequence where none is missing', () => {
    const forward: SeenEdge[] = (['a', 'b', 'a', 'b'] as const).map((channel) => ({ channel, missing: 0 }));
    expect(possibleTravel(false, forward)).toEqual({ least: 4, most: 4 });
    expect(possibleTravel(true, forward)).toEqual({ least: -4, most: -4 });
  });

  it('is certain for a channel that trembles alone, whatever is missing', () => {
    expect(possibleTravel(false, [{ channel: 'a', missing: 7 }])).toEqual({ least: 0, most: 0 });
    expect(possibleTravel(false, [{ channel: 'a', missing: 6 }])).toEqual({ least: 1, most: 1 });
  });

  it('spans exactly what complete sequences give, and the wide one is never narrower', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(edge, { maxLength: 5 }), (areDifferent, edges) => {
        const travels = allTravels(areDifferent, edges);
        const travel = possibleTravel(areDifferent, edges);
        expect(travel).toEqual({ least: Math.min(...travels), most: Math.max(...travels) });
        expect(widestTravel(edges).most).toBeGreaterThanOrEqual(travel.most);
        expect(widestTravel(edges).least).toBeLessThanOrEqual(travel.least);
      }),
    );
  });

  it('takes no time for more than can be looked at', () => {
    const lost: SeenEdge[] = [
      { channel: 'a', missing: 100_000 },
      { channel: 'b', missing: 100_000 },
    ];
    expect(possibleTravel(false, lost)).toEqual({ least: -200_003, most: 200_003 });
  });
});
