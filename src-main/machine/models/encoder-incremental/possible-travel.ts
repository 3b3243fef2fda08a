/** A channel of a quadrature encoder. */
export type Channel = 'a' | 'b';

/** An edge that was seen, and how many of its channel are missing between it and the one of that channel before. */
export interface SeenEdge {
  readonly channel: Channel;
  readonly missing: number;
}

/** Half-ticks, signed, both included. */
export interface Travel {
  readonly least: number;
  readonly most: number;
}

/** Steps that may be looked at: some milliseconds. */
const MAX_STEPS = 200_000;
const NOWHERE = Number.POSITIVE_INFINITY;

/**
 * How far a shaft can have gone while these edges came, wherever among them the missing ones were and however often it
 * turned round. An edge of A that makes the channels differ is a half-tick forward, and so is one of B that makes them the
 * same; every edge turns one into the other. So the order of the edges is the way, and an edge put in turns round all that
 * follows.
 * @param areDifferent whether the channels differed before the first edge
 * @param edges in the order in which they came; none of either channel is missing after the last of them
 * @returns exact for some edges; wider, but never narrower than the truth for very many
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
  // Edges so far, in a cell that none are left in: those of each cell follow from it.
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
      // It comes when all that are missing before it have been.
      if (isA ? cell >= columns : cell % columns > 0) continue;
      const to = cell + next * (isA ? columns : 1);
      least[to] = at(leastBefore, cell) + step(cell, edge.channel);
      most[to] = at(mostBefore, cell) + step(cell, edge.channel);
    }
    passed += 1 + next;
  }
}

/** Two edges of one channel in a row cancel out, so the farthest way takes turns. */
export function widestTravel(edges: readonly SeenEdge[]): Travel {
  const count = { a: 0, b: 0 };
  for (const { channel, missing } of edges) count[channel] += 1 + missing;
  const most = 2 * Math.min(count.a, count.b) + 1;
  return { least: -most, most };
}

/** How many edges of a channel are missing before its first one from each index on. */
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
