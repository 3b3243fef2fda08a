/** A channel of a quadrature encoder. */
export type Channel = 'a' | 'b';

/** An edge that was seen, and how many edges of its channel are missing since the previous one of that channel. */
export interface SeenEdge {
  readonly channel: Channel;
  readonly missing: number;
}

/** Half-ticks, signed, both included. */
export interface Travel {
  readonly least: number;
  readonly most: number;
}

/** Maximum number of steps to examine: a few milliseconds. */
const MAX_STEPS = 200_000;
const NOWHERE = Number.POSITIVE_INFINITY;

/**
 * How far a shaft can have moved while these edges arrived, wherever the missing ones were and however often it turned
 * round. An edge of A after which the channels differ is a half-tick forward, and so is an edge of B after which they
 * are equal; every edge switches between the two. So the order of the edges determines the direction, and an inserted
 * edge reverses everything after it.
 * @param areDifferent whether the channels differed before the first edge
 * @param edges in order of arrival; no edge of either channel is missing after the last of them
 * @returns exact for a limited number of edges; for very many it may be wider, but never narrower than the truth
 */
export function possibleTravel(areDifferent: boolean, edges: readonly SeenEdge[]): Travel {
  const mostMissing = (channel: Channel): number =>
    Math.max(0, ...edges.filter((edge) => edge.channel === channel).map(({ missing }) => missing));
  const columns = mostMissing('b') + 1;
  const cells = (mostMissing('a') + 1) * columns;
  if (cells * (edges.length + 1) > MAX_STEPS) return widestTravel(edges);
  const due = { a: dueBefore('a', edges), b: dueBefore('b', edges) };
  let least = new Array<number>(cells).fill(NOWHERE);
  let most = new Array<number>(cells).fill(-NOWHERE);
  const start = at(due.a, 0) * columns + at(due.b, 0);
  least[start] = 0;
  most[start] = 0;
  // Edges so far, in a cell with none left: those of every other cell follow from it.
  let passed = (areDifferent ? 1 : 0) + at(due.a, 0) + at(due.b, 0);
  for (let index = 0; ; index++) {
    const step = (cell: number, channel: Channel): number => {
      const left = Math.floor(cell / columns) + (cell % columns);
      const makesDifferent = (passed - left) % 2 === 0;
      return makesDifferent === (channel === 'a') ? 1 : -1;
    };
    const reach = (cell: number, from: number, by: number): void => {
      least[cell] = Math.min(at(least, cell), at(least, from) + by);
      most[cell] = Math.max(at(most, cell), at(most, from) + by);
    };
    for (let cell = cells - 1; cell > 0; cell--) {
      if (cell >= columns) reach(cell - columns, cell, step(cell, 'a'));
      if (cell % columns > 0) reach(cell - 1, cell, step(cell, 'b'));
    }
    const edge = edges[index];
    if (edge === undefined) return { least: at(least, 0), most: at(most, 0) };
    const isA = edge.channel === 'a';
    const next = at(due[edge.channel], index + 1);
    const [leastBefore, mostBefore] = [least, most];
    least = new Array<number>(cells).fill(NOWHERE);
    most = new Array<number>(cells).fill(-NOWHERE);
    for (let cell = 0; cell < cells; cell++) {
      // It can come only after all edges that are missing before it.
      if (isA ? cell >= columns : cell % columns > 0) continue;
      const to = cell + next * (isA ? columns : 1);
      least[to] = at(leastBefore, cell) + step(cell, edge.channel);
      most[to] = at(mostBefore, cell) + step(cell, edge.channel);
    }
    passed += 1 + next;
  }
}

/** Two consecutive edges of one channel cancel out, so the farthest path alternates channels. */
export function widestTravel(edges: readonly SeenEdge[]): Travel {
  const count = { a: 0, b: 0 };
  for (const { channel, missing } of edges) count[channel] += 1 + missing;
  const most = 2 * Math.min(count.a, count.b) + 1;
  return { least: -most, most };
}

/** How many edges of a channel are missing before its next one, for each index. */
function dueBefore(channel: Channel, edges: readonly SeenEdge[]): number[] {
  const due = new Array<number>(edges.length + 1).fill(0);
  for (let index = edges.length - 1; index >= 0; index--) {
    const edge = edges[index] as SeenEdge;
    due[index] = edge.channel === channel ? edge.missing : at(due, index + 1);
  }
  return due;
}

function at(list: readonly number[], index: number): number {
  return list[index] as number;
}
