import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { components, shortestCycle } from './cycles.ts';

type Graph = Readonly<Record<string, readonly string[]>>;
const edgesIn = (graph: Graph) => (vertex: string) => graph[vertex] ?? [];

describe('components', () => {
  it('puts the members of a circle together and everything else alone', () => {
    const graph = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [] };
    const found = components(Object.keys(graph), edgesIn(graph)).map((component) => component.sort().join(''));
    expect(found.sort()).toEqual(['abc', 'd', 'e']);
  });

  it('looks at each edge once, however long the chain', () => {
    const length = 50_000;
    let followed = 0;
    const found = components([0], (vertex) => {
      followed++;
      return vertex + 1 < length ? [vertex + 1] : [];
    });
    expect(found).toHaveLength(length);
    expect(followed).toBe(length);
  });

  it('agrees with reachability on random graphs', () => {
    const graphs = fc.array(fc.array(fc.nat(11), { maxLength: 4 }), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(graphs, (graph) => {
        const reach = graph.map((_, start) => reachable(graph, start));
        const found = components(graph.keys(), (vertex) => graph[vertex] ?? []);
        expect(found.flat().sort((a, b) => a - b)).toEqual([...graph.keys()]);
        for (const component of found) {
          for (const a of graph.keys()) {
            const isMember = component.includes(a);
            const first = component[0]!;
            expect(isMember).toBe(a === first || (reach[a]!.has(first) && reach[first]!.has(a)));
          }
        }
      }),
      { seed: 1 },
    );
  });
});

describe('shortestCycle', () => {
  it('finds the shortest way back', () => {
    const graph = { a: ['b', 'd'], b: ['c'], c: ['a'], d: ['a'] };
    expect(shortestCycle('a', edgesIn(graph))).toEqual(['a', 'd', 'a']);
    expect(shortestCycle('b', edgesIn(graph))).toEqual(['b', 'c', 'a', 'b']);
  });

  it('names a vertex that leads to itself, and nothing where no way leads back', () => {
    expect(shortestCycle('a', edgesIn({ a: ['a'] }))).toEqual(['a', 'a']);
    expect(shortestCycle('a', edgesIn({ a: ['b'], b: [] }))).toBeUndefined();
  });
});

function reachable(graph: readonly (readonly number[])[], start: number): Set<number> {
  const seen = new Set<number>();
  const open = [...graph[start]!];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...graph[next]!);
  }
  return seen;
}
