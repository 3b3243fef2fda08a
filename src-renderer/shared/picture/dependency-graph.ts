import type { Resource } from '../../../proto/gen/core/status/v1/status.ts';
import { shortName } from '../machine/machine-view.ts';

/** A node of the graph: a resource, or a name that no resource has. */
export interface GraphNode {
  /** Full name; the name as written if no resource has it. */
  readonly id: string;
  readonly name: string;
  /** False for a name that no resource has. */
  readonly isThere: boolean;
}

export interface DependencyGraph {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** What each node needs, by id. Every id has a set, which may be empty. */
  readonly needs: ReadonlyMap<string, ReadonlySet<string>>;
  /** What needs each node, by id. */
  readonly neededBy: ReadonlyMap<string, ReadonlySet<string>>;
  /** Dependency cycles: each list has the ids of one cycle. */
  readonly cycles: readonly (readonly string[])[];
}

/** The graph of some nodes. @param needs what each node needs, by id; ids that are no nodes are left out */
export function graphOf(
  nodes: ReadonlyMap<string, GraphNode>,
  needs: ReadonlyMap<string, Iterable<string>>,
): DependencyGraph {
  const known = new Map(
    [...nodes.keys()].map(
      (id) => [id, new Set([...(needs.get(id) ?? [])].filter((other) => nodes.has(other)))] as const,
    ),
  );
  return { nodes, needs: known, neededBy: reversed(known), cycles: findCycles(known) };
}

/** The dependencies of the resources that a machine reports. */
export function runningGraph(resources: readonly Resource[]): DependencyGraph {
  const nodes = resources.map(({ name: id }) => [id, { id, name: shortName(id), isThere: true }] as const);
  return graphOf(new Map(nodes), new Map(resources.map(({ name, dependsOn }) => [name, dependsOn])));
}

/** All ids that can be reached from an id along the edges, without itself; the nearest first. */
export function reachable(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string): readonly string[] {
  const seen = new Set([from]);
  for (const id of seen) for (const next of edges.get(id) ?? []) seen.add(next);
  return [...seen].slice(1);
}

function reversed(edges: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const result = new Map<string, Set<string>>([...edges.keys()].map((id) => [id, new Set()]));
  for (const [from, all] of edges) for (const to of all) result.get(to)?.add(from);
  return result;
}

/** Groups of ids that all reach each other (Tarjan's strongly connected components), without recursion. */
function findCycles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const cycles: string[][] = [];
  for (const root of edges.keys()) {
    if (order.has(root)) continue;
    const path: { readonly id: string; readonly rest: Iterator<string> }[] = [];
    const enter = (id: string): void => {
      order.set(id, order.size);
      low.set(id, order.size - 1);
      open.push(id);
      isOpen.add(id);
      path.push({ id, rest: (edges.get(id) ?? new Set<string>()).values() });
    };
    enter(root);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const { id, rest } = step;
      const next = rest.next();
      if (next.done !== true) {
        if (!order.has(next.value)) enter(next.value);
        else if (isOpen.has(next.value)) low.set(id, Math.min(low.get(id) ?? 0, order.get(next.value) ?? 0));
        continue;
      }
      path.pop();
      const parent = path.at(-1)?.id;
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent) ?? 0, low.get(id) ?? 0));
      if (low.get(id) !== order.get(id)) continue;
      const cycle = open.splice(open.indexOf(id));
      for (const member of cycle) isOpen.delete(member);
      if (cycle.length > 1 || edges.get(id)?.has(id)) cycles.push(cycle);
    }
  }
  return cycles;
}

/** Equal for graphs that look the same: the ids of the nodes in order, and what each needs. */
export function graphSignature({ nodes, needs }: DependencyGraph): string {
  return [...nodes.values()]
    .map(({ id, isThere }) => `${id}${isThere ? '' : '?'}>${[...(needs.get(id) ?? [])].join(',')}`)
    .join(';');
}
