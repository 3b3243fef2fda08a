import { describe, expect, it } from 'vitest';
import { graphOf, type DependencyGraph } from './dependency-graph.ts';
import { nameBox, neighbourhood, placeGraph, valueBox, type PlacedGraph } from './graph-layout.ts';

function graphFrom(entries: Readonly<Record<string, readonly string[]>>): DependencyGraph {
  const names = Object.keys(entries);
  return graphOf(
    new Map(names.map((name) => [idOf(name), { id: idOf(name), name, isThere: true }])),
    new Map(names.map((name) => [idOf(name), (entries[name] ?? []).map(idOf)])),
  );
}
const idOf = (name: string): string => `core:component:generic/${name}`;
const all = (graph: DependencyGraph): PlacedGraph => placeGraph(graph, [...graph.nodes.keys()]);

function overlaps({ nodes, box }: PlacedGraph): number {
  let count = 0;
  nodes.forEach((one, index) => {
    for (const other of nodes.slice(index + 1)) {
      const isApart =
        one.x + one.width <= other.x ||
        other.x + other.width <= one.x ||
        one.y + box.height <= other.y ||
        other.y + box.height <= one.y;
      if (!isApart) count += 1;
    }
  });
  return count;
}

const many: Record<string, string[]> = { bench: [] };
for (let index = 0; index < 400; index += 1) many[`motor-${index}`] = ['bench'];
for (let index = 0; index < 99; index += 1) many[`alone-${index}`] = [];

describe.each([
  ['few', { bench: [], wheel: ['bench'], left: ['bench', 'wheel'], alone: [] }],
  ['500', many],
])('the picture of %s', (_, entries) => {
  const graph = graphFrom(entries);
  const placed = all(graph);

  it('has every node once, without overlaps, and all of them inside', () => {
    expect(placed.nodes.map(({ id }) => id).sort()).toEqual([...graph.nodes.keys()].sort());
    expect(overlaps(placed)).toBe(0);
    for (const { x, y, width } of placed.nodes) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(placed.width);
      expect(y + nameBox.height).toBeLessThanOrEqual(placed.height);
    }
  });

  it('has every node below those that it needs, with a wire between them', () => {
    const top = new Map(placed.nodes.map(({ id, y }) => [id, y]));
    let wires = 0;
    for (const [id, needed] of graph.needs) {
      for (const other of needed) {
        wires += 1;
        expect(top.get(other)).toBeLessThan(top.get(id) ?? 0);
      }
    }
    expect(placed.edges).toHaveLength(wires);
  });

  it('is neither very wide nor very high', () => {
    expect(placed.width / placed.height).toBeLessThan(4);
    expect(placed.height / placed.width).toBeLessThan(4);
  });
});

it('a cycle is drawn too', () => {
  const graph = graphFrom({ a: ['b'], b: ['a'], c: ['a'] });
  expect(all(graph).nodes).toHaveLength(3);
  expect(overlaps(all(graph))).toBe(0);
  const large = graphFrom({ ...many, bench: ['motor-1'] });
  expect(all(large).nodes).toHaveLength(500);
});

describe('the neighbourhood', () => {
  it('is what a node needs and what needs it, the nearest first, with the number of those left out', () => {
    const graph = graphFrom(many);
    const around = neighbourhood(graph, idOf('bench'));
    expect(around.ids).toHaveLength(7);
    expect(around.moreBelow).toBe(394);
    expect(neighbourhood(graph, idOf('motor-7')).ids).toEqual([idOf('bench'), idOf('motor-7')]);
  });
});

describe('a picture with a greatest width', () => {
  it('is broken into rows where it would be wider, and a box has the same width whatever its value', () => {
    const graph = graphFrom(many);
    for (const widest of [400, 700, 1_200]) {
      const placed = placeGraph(graph, [...graph.nodes.keys()], valueBox, widest);
      expect(placed.width).toBeLessThanOrEqual(widest + 12);
      expect(overlaps(placed)).toBe(0);
    }
    const few = graphFrom({ bench: [], a: ['bench'], b: ['bench'], c: ['bench'], d: ['bench'] });
    const wide = placeGraph(few, [...few.nodes.keys()], valueBox, 700);
    expect(wide.width).toBeGreaterThan(500);
    expect(placeGraph(few, [...few.nodes.keys()], valueBox, 350).width).toBeLessThanOrEqual(362);
    // A little too wide: it is shrunk.
    expect(placeGraph(few, [...few.nodes.keys()], valueBox, wide.width * 0.9)).toEqual(wide);
    expect(new Set(wide.nodes.map(({ width }) => width))).toEqual(new Set([valueBox.minWidth]));
  });
});
