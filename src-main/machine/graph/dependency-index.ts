import { components, shortestCycle } from '../../base/cycles.ts';
import { nearest } from '../../../proto/config/nearest.ts';
import { fullName, parseFullName } from '../../../proto/config/names.ts';
import type { Requirement, ResourceNode } from './node.ts';
import type { Dependencies } from '../catalog/model.ts';

/** Messages list at most this many members of a cycle. */
const LONGEST_CYCLE_SHOWN = 20;

const noNodes: ReadonlySet<ResourceNode> = new Set();

/** A dependency as written, full names in our own spelling. */
export function canonicalDependency(written: string): string {
  const parsed = parseFullName(written);
  return parsed === undefined ? written : fullName(parsed.api, parsed.name);
}

/** Whether two lists of dependencies name the same resources, in any order and spelling. */
export function isSameDependencies(a: Dependencies, b: Dependencies): boolean {
  return isSameNames(a.required, b.required) && isSameNames(a.optional, b.optional);
}

function isSameNames(a: readonly string[], b: readonly string[]): boolean {
  const [names, others] = [new Set(a.map(canonicalDependency)), new Set(b.map(canonicalDependency))];
  return names.size === others.size && [...names].every((name) => others.has(name));
}

/**
 * Which configured resource each name means, and which resources depend on which. The cost of a change depends on how
 * many resources mention an added or removed name, and on their dependencies.
 */
export class DependencyIndex {
  readonly #byFullName = new Map<string, ResourceNode>();
  readonly #byShortName = new Map<string, Set<ResourceNode>>();
  /** Name, short or full, to the resources that write it. */
  readonly #mentions = new Map<string, Set<ResourceNode>>();
  readonly #unlinked = new Set<ResourceNode>();
  readonly #knotted = new Set<ResourceNode>();
  /** Resources that need a name that does not exist. */
  readonly #incomplete = new Set<ResourceNode>();
  #sortedNames: { readonly full: readonly string[]; readonly short: readonly string[] } | undefined;
  readonly #nearest = new Map<string, string | undefined>();

  /** Registers a resource under its names. */
  enter(node: ResourceNode): void {
    this.#byFullName.set(node.fullName, node);
    addTo(this.#byShortName, node.name, node);
    this.#namesChanged(node);
  }

  /** Removes a resource's names, so that its dependents no longer find it. */
  leave(node: ResourceNode): void {
    this.declare(node, { required: [], optional: [] });
    this.#byFullName.delete(node.fullName);
    removeFrom(this.#byShortName, node.name, node);
    this.#namesChanged(node);
  }

  /** Sets the names that a resource needs. */
  declare(node: ResourceNode, dependencies: Dependencies): void {
    for (const name of namesOf(node.declared)) removeFrom(this.#mentions, name, node);
    node.declared = dependencies;
    for (const name of namesOf(dependencies)) addTo(this.#mentions, name, node);
    this.#unlinked.add(node);
  }

  /**
   * Updates all edges after a batch of the calls above.
   * @returns the resources whose dependencies, or the messages about them, may have changed
   */
  link(): ReadonlySet<ResourceNode> {
    if (this.#unlinked.size === 0) return noNodes;
    const changed = new Set([...this.#unlinked, ...this.#knotted]);
    this.#unlinked.clear();
    for (const node of changed) this.#resolve(node);
    this.#findKnots(changed);
    for (const node of this.#knotted) changed.add(node);
    for (const node of changed) this.#settleEdges(node);
    // Their messages suggest the nearest configured name, which may have changed.
    for (const node of this.#incomplete) changed.add(node);
    return changed;
  }

  /**
   * The configured name most similar to a name that does not exist, for a message. Of equally similar names, the
   * alphabetically first.
   */
  nearestTo(written: string): string | undefined {
    if (!this.#nearest.has(written)) {
      this.#sortedNames ??= {
        full: [...this.#byFullName.keys()].sort(),
        short: [...this.#byShortName.keys()].sort(),
      };
      const { full, short } = this.#sortedNames;
      this.#nearest.set(written, nearest(written, written.includes('/') ? full : short));
    }
    return this.#nearest.get(written);
  }

  #namesChanged(node: ResourceNode): void {
    this.#nearest.clear();
    this.#sortedNames = undefined;
    for (const name of [node.fullName, node.name]) {
      for (const mentioning of this.#mentions.get(name) ?? noNodes) this.#unlinked.add(mentioning);
    }
  }

  #resolve(node: ResourceNode): void {
    for (const dependency of edgesOf(node)) dependency.dependents.delete(node);
    node.required = node.declared.required.map((written) => this.#requirement(node, written));
    node.optional = this.#optional(node);
  }

  #requirement(node: ResourceNode, written: string): Requirement {
    const key = canonicalDependency(written);
    if (key.includes('/')) {
      const found = this.#byFullName.get(key);
      return { written, found: found === undefined ? [] : [found] };
    }
    const all = [...(this.#byShortName.get(key) ?? noNodes)];
    const others = all.filter((candidate) => candidate !== node);
    return { written, found: others.length > 0 ? others : all };
  }

  #optional(node: ResourceNode): readonly ResourceNode[] {
    const found = new Set<ResourceNode>();
    for (const written of node.declared.optional) {
      const requirement = this.#requirement(node, written);
      const only = requirement.found.length === 1 ? requirement.found[0] : undefined;
      if (only !== undefined && only !== node) found.add(only);
    }
    for (const dependency of requiredOf(node)) found.delete(dependency);
    return [...found];
  }

  /**
   * Cycles of required dependencies are errors of their members. An optional dependency that closes a cycle is not
   * handed over at all: otherwise whichever of the two was built last would leave the other with a closed instance.
   */
  #findKnots(starts: Iterable<ResourceNode>): void {
    for (const component of components(starts, edgesOf)) {
      const members = new Set(component);
      for (const node of component) {
        node.cycle = undefined;
        this.#knotted.delete(node);
      }
      const [first] = component;
      if (component.length === 1 && ![...requiredOf(first!)].includes(first!)) continue;
      for (const node of component) {
        this.#knotted.add(node);
        this.#dropKnottedOptional(node, members);
      }
      for (const circle of components(component, (node) => within(requiredOf(node), members))) {
        nameCycle(circle);
      }
    }
  }

  #dropKnottedOptional(node: ResourceNode, members: ReadonlySet<ResourceNode>): void {
    const kept = node.optional.filter((dependency) => !members.has(dependency));
    if (kept.length === node.optional.length) return;
    const dropped = node.optional.filter((dependency) => members.has(dependency));
    for (const dependency of dropped) dependency.dependents.delete(node);
    node.optional = kept;
    const labels = dropped.map(({ label }) => label).join(', ');
    node.logger.debug(`${node.label} is not given ${labels}, which in turn needs it.`);
  }

  #settleEdges(node: ResourceNode): void {
    for (const dependency of edgesOf(node)) dependency.dependents.add(node);
    if (node.required.some(({ found }) => found.length === 0)) this.#incomplete.add(node);
    else this.#incomplete.delete(node);
    node.dependsOn = [
      ...node.required.map(({ written, found }) => (found.length === 1 ? found[0]!.fullName : written)),
      ...node.optional.map((dependency) => dependency.fullName),
    ];
  }
}

function* requiredOf(node: ResourceNode): Iterable<ResourceNode> {
  for (const { found } of node.required) if (found.length === 1) yield found[0]!;
}

function* edgesOf(node: ResourceNode): Iterable<ResourceNode> {
  yield* requiredOf(node);
  yield* node.optional;
}

function* within(nodes: Iterable<ResourceNode>, members: ReadonlySet<ResourceNode>): Iterable<ResourceNode> {
  for (const node of nodes) if (members.has(node)) yield node;
}

function nameCycle(circle: readonly ResourceNode[]): void {
  const members = new Set(circle);
  const first = circle.reduce((least, node) => (node.fullName < least.fullName ? node : least));
  const path = shortestCycle(first, (node) => within(requiredOf(node), members));
  if (path === undefined) return;
  const names = path.map(({ name }) => name);
  const shown =
    names.length <= LONGEST_CYCLE_SHOWN
      ? names
      : [
          ...names.slice(0, LONGEST_CYCLE_SHOWN - 2),
          `... ${names.length - LONGEST_CYCLE_SHOWN + 1} more ...`,
          first.name,
        ];
  for (const node of circle) node.cycle = shown.join(' -> ');
}

function* namesOf({ required, optional }: Dependencies): Iterable<string> {
  for (const written of required) yield canonicalDependency(written);
  for (const written of optional) yield canonicalDependency(written);
}

function addTo(map: Map<string, Set<ResourceNode>>, key: string, node: ResourceNode): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([node]));
  else set.add(node);
}

function removeFrom(map: Map<string, Set<ResourceNode>>, key: string, node: ResourceNode): void {
  const set = map.get(key);
  set?.delete(node);
  if (set?.size === 0) map.delete(key);
}
