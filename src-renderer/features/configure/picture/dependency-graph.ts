import type { Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import { parseFullName } from '../../../../proto/config/names.ts';
import { isResource, type DocumentEntry, type DocumentModel } from '../document/document-model.ts';
import { namesIn } from '../document/references.ts';

/** A node of the graph: an entry, or a name that no entry has. */
export interface GraphNode {
  /** Full name; the name as written if no entry has it. */
  readonly id: string;
  readonly name: string;
  /** False for a name that no entry has. */
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

/**
 * The dependencies of resources: the references in the draft and, for entries that
 * the draft does not change, those that the running machine adds (a model may
 * depend on more than its attributes name). Modules and remotes have none.
 */
export function dependencyGraph(
  model: DocumentModel,
  live: Iterable<Resource>,
  isChanged: (fullName: string) => boolean,
): DependencyGraph {
  const nodes = new Map<string, GraphNode>();
  const byName = new Map<string, DocumentEntry[]>();
  for (const entry of model.entries) {
    if (!isResource(entry) || entry.name === '' || nodes.has(entry.fullName)) continue;
    nodes.set(entry.fullName, { id: entry.fullName, name: entry.name, isThere: true });
    byName.set(entry.name, [...(byName.get(entry.name) ?? []), entry]);
  }
  const needs = new Map<string, Set<string>>([...nodes.keys()].map((id) => [id, new Set()]));

  /** The id of a written name; undefined if it may be no name. */
  function idOf(text: string, api: string | undefined, isCertain: boolean): string | undefined {
    const full = parseFullName(text);
    if (full !== undefined && nodes.has(`${full.api}/${full.name}`)) return `${full.api}/${full.name}`;
    const namesakes = byName.get(text) ?? [];
    const found = namesakes.find((entry) => api === undefined || entry.api === api) ?? namesakes[0];
    if (found !== undefined) return found.fullName;
    if (!isCertain || text === '') return undefined;
    if (!nodes.has(text)) {
      nodes.set(text, { id: text, name: full?.name ?? text, isThere: false });
      needs.set(text, new Set());
    }
    return text;
  }

  for (const entry of [...byName.values()].flat()) {
    for (const { text, api, isCertain } of namesIn(entry)) {
      const needed = idOf(text, api, isCertain);
      if (needed !== undefined) needs.get(entry.fullName)?.add(needed);
    }
  }
  for (const { name: fullName, dependsOn } of live) {
    if (!nodes.has(fullName) || isChanged(fullName)) continue;
    for (const needed of dependsOn) if (nodes.has(needed)) needs.get(fullName)?.add(needed);
  }
  return { nodes, needs, neededBy: reversed(needs), cycles: findCycles(needs) };
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
