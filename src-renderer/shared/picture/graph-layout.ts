import { graphlib, layout } from '@dagrejs/dagre';
import { reachable, type DependencyGraph } from './dependency-graph.ts';

/** Size of the boxes, in the picture's own pixels. */
export interface BoxSize {
  readonly height: number;
  /** Smallest width; a long name makes its box wider. */
  readonly minWidth: number;
}

/** A picture is shrunk to this scale rather than broken into rows, whose wires pass behind boxes. */
const MIN_SHRINK = 0.85;

/** A box with a name. */
export const nameBox: BoxSize = { height: 28, minWidth: 0 };
/** A box with a name and a live value below it. It has room for any value, so that a value that changes moves nothing. */
export const valueBox: BoxSize = { height: 48, minWidth: 142 };

const rowGap = 34;
const columnGap = 10;
const margin = 6;
/** Up to this many nodes are placed by dagre, which avoids crossings; with more it takes longer than a frame. */
const MAX_DAGRE_NODES = 40;

export interface PlacedNode {
  readonly id: string;
  /** Position of the upper left corner. */
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
  readonly box: BoxSize;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

/** Longer names are cut to this many characters; the title has the whole name. */
export const MAX_NAME_LENGTH = 18;

/** The width for the dot, the name and the padding of the box. */
function nodeWidth(name: string, { minWidth }: BoxSize): number {
  return Math.max(Math.round(Math.min(name.length, MAX_NAME_LENGTH) * 7.1) + 34, minWidth);
}

/**
 * Places some nodes of a graph: each below the nodes that it needs.
 * @param widest rows that would be wider are broken, unless the picture shrinks only a little to that width; undefined
 * for a picture about twice as wide as high
 */
export function placeGraph(
  graph: DependencyGraph,
  ids: readonly string[],
  box: BoxSize = nameBox,
  widest?: number,
): PlacedGraph {
  const shown = new Set(ids);
  const edges = ids.flatMap((to) =>
    [...(graph.needs.get(to) ?? [])].flatMap((from) => (shown.has(from) && from !== to ? [{ from, to }] : [])),
  );
  const widths = new Map(ids.map((id) => [id, nodeWidth(graph.nodes.get(id)?.name ?? id, box)]));
  const free = ids.length <= MAX_DAGRE_NODES ? placeByDagre(widths, edges, box) : undefined;
  return free !== undefined && free.width <= (widest ?? Number.POSITIVE_INFINITY) / MIN_SHRINK
    ? free
    : placeInRows(graph, widths, edges, box, widest);
}

type Edge = Pick<PlacedEdge, 'from' | 'to'>;

function placeByDagre(widths: ReadonlyMap<string, number>, edges: readonly Edge[], box: BoxSize): PlacedGraph {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: columnGap, ranksep: rowGap, marginx: margin, marginy: margin });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [id, width] of widths) graph.setNode(id, { width, height: box.height });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const nodes = [...widths].map(([id, width]) => {
    const { x, y } = graph.node(id) as { x: number; y: number };
    return { id, width, x: x - width / 2, y: y - box.height / 2 };
  });
  return placed(nodes, edges, box, (edge) => {
    // Every second bend is between two rows: keeps only the bends where the wire passes a row.
    const { points } = graph.edge(edge.from, edge.to) as { points: readonly Point[] };
    return points.slice(1, -1).filter((_, index) => index % 2 === 1);
  });
}

/** Breaks long ranks into rows: 499 motors on a board become a block, not a line of 50,000 pixels. */
function placeInRows(
  graph: DependencyGraph,
  widths: ReadonlyMap<string, number>,
  edges: readonly Edge[],
  box: BoxSize,
  wanted: number | undefined,
): PlacedGraph {
  const ranks = rankOf(graph, widths);
  const total = [...widths.values()].reduce((sum, width) => sum + width + columnGap, 0);
  // Makes the picture about twice as wide as high, to fit a screen.
  const widest = wanted ?? Math.max(600, Math.sqrt(total * (box.height + rowGap) * 2));
  const nodes: PlacedNode[] = [];
  let y = margin;
  for (const rank of ranks) {
    let x = margin;
    for (const id of rank) {
      const width = widths.get(id) ?? 0;
      if (x > margin && x + width > widest) {
        x = margin;
        y += box.height + columnGap;
      }
      nodes.push({ id, x, y, width });
      x += width + columnGap;
    }
    y += box.height + rowGap;
  }
  return placed(nodes, edges, box, () => []);
}

/** Nodes by the length of their longest path to one that needs nothing; nodes without edges come last. */
function rankOf(graph: DependencyGraph, widths: ReadonlyMap<string, number>): string[][] {
  const ranks = new Map<string, number>();
  const inCycle = new Set(graph.cycles.flat());
  const rank = (id: string): number => {
    const known = ranks.get(id);
    if (known !== undefined) return known;
    // A cycle has no first node: all its nodes have the same rank.
    ranks.set(id, 0);
    const above = [...(graph.needs.get(id) ?? [])].filter((needed) => widths.has(needed));
    const found = above.length === 0 || inCycle.has(id) ? 0 : Math.max(...above.map(rank)) + 1;
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
  box: BoxSize,
  between: (edge: Edge) => readonly Point[],
): PlacedGraph {
  const places = new Map(nodes.map((node) => [node.id, node]));
  const drawn = edges.flatMap((edge) => {
    const from = places.get(edge.from);
    const to = places.get(edge.to);
    if (from === undefined || to === undefined) return [];
    const isDown = from.y < to.y;
    const start = { x: from.x + from.width / 2, y: from.y + (isDown ? box.height : 0) };
    const end = { x: to.x + to.width / 2, y: to.y + (isDown ? 0 : box.height) };
    return [{ ...edge, path: curve([start, ...between(edge), end]) }];
  });
  return {
    box,
    nodes,
    edges: drawn,
    width: Math.max(0, ...nodes.map(({ x, width }) => x + width)) + margin,
    height: Math.max(0, ...nodes.map(({ y }) => y)) + box.height + margin,
  };
}

/** A curve that leaves and arrives vertically. */
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

/** At most this many nodes above and below the one in the middle. */
const MAX_NEIGHBOURS = 6;

/** What a node needs and what needs it, the nearest first, and how many more there are. */
export function neighbourhood(
  graph: DependencyGraph,
  id: string,
): { readonly ids: readonly string[]; readonly moreAbove: number; readonly moreBelow: number } {
  const above = reachable(graph.needs, id);
  const below = reachable(graph.neededBy, id).filter((other) => !above.includes(other));
  return {
    ids: [...above.slice(0, MAX_NEIGHBOURS), id, ...below.slice(0, MAX_NEIGHBOURS)],
    moreAbove: Math.max(0, above.length - MAX_NEIGHBOURS),
    moreBelow: Math.max(0, below.length - MAX_NEIGHBOURS),
  };
}
