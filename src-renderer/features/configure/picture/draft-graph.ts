import type { Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import { parseFullName } from '../../../../proto/config/names.ts';
import { graphOf, type DependencyGraph, type GraphNode } from '../../../shared/picture/dependency-graph.ts';
import { isResource, type DocumentEntry, type DocumentModel } from '../document/document-model.ts';
import { namesIn } from '../document/references.ts';

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
  return graphOf(nodes, needs);
}
