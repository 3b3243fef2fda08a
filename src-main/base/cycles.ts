/** Successors of a vertex. Must answer the same during one search. */
export type Edges<V> = (vertex: V) => Iterable<V>;

interface Frame<V> {
  readonly vertex: V;
  readonly rest: Iterator<V>;
}

/**
 * Strongly connected components of what is reachable from `starts`, each vertex
 * in exactly one. Tarjan's algorithm, O(V + E), without recursion so that a
 * long chain cannot overflow the stack.
 */
export function components<V>(starts: Iterable<V>, edges: Edges<V>): V[][] {
  const order = new Map<V, number>();
  const low = new Map<V, number>();
  const open: V[] = [];
  const isOpen = new Set<V>();
  const found: V[][] = [];
  const frames: Frame<V>[] = [];

  const enter = (vertex: V): void => {
    order.set(vertex, order.size);
    low.set(vertex, order.size - 1);
    open.push(vertex);
    isOpen.add(vertex);
    frames.push({ vertex, rest: edges(vertex)[Symbol.iterator]() });
  };
  const lower = (vertex: V, value: number): void => {
    if (value < low.get(vertex)!) low.set(vertex, value);
  };

  for (const start of starts) {
    if (order.has(start)) continue;
    enter(start);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { vertex } = frame;
      const next = frame.rest.next();
      if (next.done !== true) {
        if (!order.has(next.value)) enter(next.value);
        else if (isOpen.has(next.value)) lower(vertex, order.get(next.value)!);
        continue;
      }
      frames.pop();
      const parent = frames.at(-1);
      if (parent !== undefined) lower(parent.vertex, low.get(vertex)!);
      if (low.get(vertex) === order.get(vertex)) {
        const component = open.splice(open.lastIndexOf(vertex));
        for (const member of component) isOpen.delete(member);
        found.push(component);
      }
    }
  }
  return found;
}

/**
 * A shortest way from `start` back to it: `[start, ..., start]`, or undefined
 * where there is none. Breadth first, O(V + E) of what is reachable.
 */
export function shortestCycle<V>(start: V, edges: Edges<V>): V[] | undefined {
  const cameFrom = new Map<V, V>();
  let edge = [start];
  while (edge.length > 0) {
    const beyond: V[] = [];
    for (const vertex of edge) {
      for (const next of edges(vertex)) {
        if (next === start) {
          const path = [start];
          for (let at = vertex; at !== start; at = cameFrom.get(at)!) path.push(at);
          path.push(start);
          return path.reverse();
        }
        if (cameFrom.has(next)) continue;
        cameFrom.set(next, vertex);
        beyond.push(next);
      }
    }
    edge = beyond;
  }
  return undefined;
}
