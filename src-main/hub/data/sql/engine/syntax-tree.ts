/**
 * The syntax tree of a query as DuckDB's `json_serialize_sql` gives it. Of its nodes these are what is looked at; whatever
 * else one has is passed on as it is.
 */
export interface TreeNode {
  readonly class?: string;
  readonly type?: unknown;
  readonly [key: string]: unknown;
}

/** Nodes directly inside of a value of the tree. */
export function childrenOf(value: unknown): TreeNode[] {
  if (Array.isArray(value)) return value.filter(isNode);
  if (!isNode(value)) return [];
  return Object.values(value).flatMap((inner) => (Array.isArray(inner) ? inner : [inner]).filter(isNode));
}

/** A node with all that are in it, from the outside in. */
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

/** Names of a reference to a column, `r.data.readings.t` as `['r', 'data', 'readings', 't']`; undefined for what is none. */
export function columnNames(node: unknown): readonly string[] | undefined {
  if (!isNode(node) || node.class !== 'COLUMN_REF') return undefined;
  return node['column_names'] as readonly string[];
}

/**
 * A tree as text that `json_deserialize_sql` takes. Places of what has none are 2^64 - 1 in it, which a number of
 * JavaScript is not; nobody asks for places any more.
 */
export function treeText(tree: unknown): string {
  return JSON.stringify(tree, (key, value: unknown) => (key === 'query_location' ? 0 : value));
}
