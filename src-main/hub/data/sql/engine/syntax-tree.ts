/**
 * A node of the syntax tree of a query, from DuckDB's `json_serialize_sql`. Other properties are passed on unchanged.
 */
export interface TreeNode {
  readonly class?: string;
  readonly type?: unknown;
  readonly [key: string]: unknown;
}

/** Direct children of a value of the tree. */
export function childrenOf(value: unknown): TreeNode[] {
  if (Array.isArray(value)) return value.filter(isNode);
  if (!isNode(value)) return [];
  return Object.values(value).flatMap((inner) => (Array.isArray(inner) ? inner : [inner]).filter(isNode));
}

/** A node and all nodes below it, parents before their children. */
export function* nodesIn(value: unknown): Generator<TreeNode> {
  const open = isNode(value) ? [value] : childrenOf(value);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    open.push(...childrenOf(node));
  }
}

export function isNode(value: unknown): value is TreeNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Names of a column reference: `r.data.readings.t` gives `['r', 'data', 'readings', 't']`. Undefined for other nodes.
 */
export function columnNames(node: unknown): readonly string[] | undefined {
  if (!isNode(node) || node.class !== 'COLUMN_REF') return undefined;
  return node['column_names'] as readonly string[];
}

/**
 * A tree as text for `json_deserialize_sql`. Positions become 0: an unknown one is 2^64 - 1, which JavaScript numbers
 * cannot represent, and they are not needed any more.
 */
export function treeText(tree: unknown): string {
  return JSON.stringify(tree, (key, value: unknown) => (key === 'query_location' ? 0 : value));
}
