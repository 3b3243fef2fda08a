import { graphlib, layout } from '@dagrejs/dagre';
import { reached, type DependencyGraph } from './dependency-graph.ts';

/** Sizes in the picture's own pixels. */
export const nodeHeight = 28;
const rowGap = 34;
const columnGap = 10;
const margin = 6;
/** Up to this many nodes dagre finds crossings to avoid; with more it takes longer than a frame. */
const mostForDagre = 40;

export interface PlacedNode {
  readonly id: string;
  /** Of the upper left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface PlacedEdge {
  /** The one that is needed, above. */
  readonly from: string;
  /** The one that needs it. */
  readonly to: string;
  readonly path: string;
}

export interface PlacedGraph {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

/** The longest name that is shown whole, in letters; the rest of a longer one is in its title. */
export const longestName = 18;

/** Room for the dot, the name and the edges of the box. */
function nodeWidth(name: string): number {
  return Math.round(Math.min(name.length, longestName) * 7.1) + 34;
}

/** Places some nodes of a graph, what is needed above what needs it. */
export function placeGraph(graph: DependencyGraph, ids: readonly string[]): PlacedGraph {
  const shown = new Set(ids);
  const edges = ids.flatMap((to) =>
    [...(graph.needs.get(to) ?? [])].flatMap((from) => (shown.has(from) && from !== to ? [{ from, to }] : [])),
  );
  const widths = new Map(ids.map((id) => [id, nodeWidth(graph.nodes.get(id)?.name ?? id)]));
  return ids.length <= mostForDagre ? placeByDagre(widths, edges) : placeInRows(graph, widths, edges);
}

type Edge = Pick<PlacedEdge, 'from' | 'to'>;

function placeByDagre(widths: ReadonlyMap<string, number>, edges: readonly Edge[]): PlacedGraph {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: columnGap, ranksep: rowGap, marginx: margin, marginy: margin });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [id, width] of widths) graph.setNode(id, { width, height: nodeHeight });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const nodes = [...widths].map(([id, width]) => {
    const { x, y } = graph.node(id) as { x: number; y: number };
    return { id, width, x: x - width / 2, y: y - nodeHeight / 2 };
  });
  return placed(nodes, edges, (edge) => {
    // Every second bend is between two rows: the wire needs only those where it passes a row.
    const { points } = graph.edge(edge.from, edge.to) as { points: readonly Point[] };
    return points.slice(1, -1).filter((_, index) => index % 2 === 1);
  });
}

/** Long ranks are broken into rows: 499 motors on a board are a block of them, not a line of 50,000 pixels. */
function placeInRows(graph: DependencyGraph, widths: ReadonlyMap<string, number>, edges: readonly Edge[]): PlacedGraph {
  const ranks = rankOf(graph, widths);
  const total = [...widths.values()].reduce((sum, width) => sum + width + columnGap, 0);
  // A picture about twice as wide as high, which is what a screen has room for.
  const widest = Math.max(600, Math.sqrt(total * (nodeHeight + rowGap) * 2));
  const nodes: PlacedNode[] = [];
  let y = margin;
  for (const rank of ranks) {
    let x = margin;
    for (const id of rank) {
      const width = widths.get(id) ?? 0;
      if (x > margin && x + width > widest) {
        x = margin;
        y += nodeHeight + columnGap;
      }
      nodes.push({ id, x, y, width });
      x += width + columnGap;
    }
    y += nodeHeight + rowGap;
  }
  return placed(nodes, edges, () => []);
}

/** Nodes by the longest way up to one that needs nothing; those without any edge come last. */
function rankOf(graph: DependencyGraph, widths: ReadonlyMap<string, number>): string[][] {
  const ranks = new Map<string, number>();
  const inCircle = new Set(graph.circles.flat());
  const rank = (id: string): number => {
    const known = ranks.get(id);
    if (known !== undefined) return known;
    // Within a circle there is no first one: all of it stands in the same rank.
    ranks.set(id, 0);
    const above = [...(graph.needs.get(id) ?? [])].filter((needed) => widths.has(needed));
    const found = above.length === 0 || inCircle.has(id) ? 0 : Math.max(...above.map(rank)) + 1;
    ranks.set(id, found);
    return found;
  };
  const rows: string[][] = [];
  const alone: string[] = [];
  for (const id of widths.keys()) {
    const isAlone = graph.needs.get(id)?.size === 0 && graph.neededBy.get(id)?.size === 0;
    if (isAlone) alone.push(id);
    else (rows[rank(id)] ??= []).push(id);
  }
  return [...rows.filter((row) => row !== undefined), ...(alone.length === 0 ? [] : [alone])];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function placed(
  nodes: readonly PlacedNode[],
  edges: readonly Edge[],
  between: (edge: Edge) => readonly Point[],
): PlacedGraph {
  const places = new Map(nodes.map((node) => [node.id, node]));
  const drawn = edges.flatMap((edge) => {
    const from = places.get(edge.from);
    const to = places.get(edge.to);
    if (from === undefined || to === undefined) return [];
    const isDown = from.y < to.y;
    const start = { x: from.x + from.width / 2, y: from.y + (isDown ? nodeHeight : 0) };
    const end = { x: to.x + to.width / 2, y: to.y + (isDown ? 0 : nodeHeight) };
    return [{ ...edge, path: curve([start, ...between(edge), end]) }];
  });
  return {
    nodes,
    edges: drawn,
    width: Math.max(0, ...nodes.map(({ x, width }) => x + width)) + margin,
    height: Math.max(0, ...nodes.map(({ y }) => y)) + nodeHeight + margin,
  };
}

/** Leaves and arrives upright, as wires do. */
function curve(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const before = points[index - 1];
      if (before === undefined) return `M${round(point.x)} ${round(point.y)}`;
      const middle = (before.y + point.y) / 2;
      return `C${round(before.x)} ${round(middle)} ${round(point.x)} ${round(middle)} ${round(point.x)} ${round(point.y)}`;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** At most this many of a kind around the one in the middle. */
const mostAround = 6;

/** What one needs and what needs it, near ones first, and how many more there are. */
export function neighbourhood(
  graph: DependencyGraph,
  id: string,
): { readonly ids: readonly string[]; readonly moreAbove: number; readonly moreBelow: number } {
  const above = reached(graph.needs, id);
  const below = reached(graph.neededBy, id).filter((other) => !above.includes(other));
  return {
    ids: [...above.slice(0, mostAround), id, ...below.slice(0, mostAround)],
    moreAbove: Math.max(0, above.length - mostAround),
    moreBelow: Math.max(0, below.length - mostAround),
  };
}
