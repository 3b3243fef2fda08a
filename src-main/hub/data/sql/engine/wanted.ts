import { columnNames, isNode, nodesIn, type TreeNode } from './syntax-tree.ts';

/** Columns that are the same for all readings of a capture. */
const captureColumns = new Set([
  ...['organization_id', 'location_id', 'robot_id', 'part_id', 'component_type', 'component_name', 'method_name'],
  ...['tags', 'additional_parameters'],
]);
const timeColumn = 'time_received';

/** A comparison of `time_received` with a constant expression. */
export interface TimeBound {
  readonly side: 'from' | 'to' | 'at';
  /** An expression without columns. */
  readonly expression: TreeNode;
}

/** Conditions on the rows of one mention of the table. All of them hold at once. */
export interface Mention {
  /** Conditions only on columns of captures, without the name of the table. */
  readonly conditions: readonly TreeNode[];
  readonly bounds: readonly TimeBound[];
}

/** Functions whose result differs from call to call, or that change something. */
const volatile = new Set(['random', 'uuid', 'gen_random_uuid', 'uuidv4', 'uuidv7', 'nextval', 'currval', 'setseed']);
/** Functions that may read the table without a visible mention of it. */
const hidingFunctions = new Set(['query', 'query_table', 'json_execute_serialized_sql']);
/** Expressions whose value depends on more than one row. */
const notOfOneRow = new Set(['SUBQUERY', 'WINDOW', 'PARAMETER', 'STAR', 'LAMBDA', 'DEFAULT', 'POSITIONAL_REFERENCE']);

const sides: Readonly<Record<string, readonly [TimeBound['side'], TimeBound['side']]>> = {
  COMPARE_EQUAL: ['at', 'at'],
  COMPARE_GREATERTHAN: ['from', 'to'],
  COMPARE_GREATERTHANOREQUALTO: ['from', 'to'],
  COMPARE_LESSTHAN: ['to', 'from'],
  COMPARE_LESSTHANOREQUALTO: ['to', 'from'],
};

/**
 * Mentions of the table of readings in a query, with the conditions of the WHERE beside each. Conditions are used only
 * if the table is alone in its FROM, and only those joined by AND: then a row that fails one of them cannot affect the
 * answer. Any other mention needs all rows.
 */
export function mentionsOf(tree: unknown): Mention[] {
  const mentions: Mention[] = [];
  const alone = new Set<TreeNode>();
  for (const node of nodesIn(tree)) {
    const from = node['from_table'];
    if (node.type === 'SELECT_NODE' && isNode(from) && isReadings(from)) {
      alone.add(from);
      mentions.push(mentionIn(node['where_clause'], aliasOf(from)));
    } else if ((isReadings(node) && !alone.has(node)) || isHidden(node)) mentions.push({ conditions: [], bounds: [] });
  }
  return mentions;
}

/** Paths into `data` that a query names: `data.readings.t` is `['readings', 't']`. */
export function dataPaths(tree: unknown): string[][] {
  return [...nodesIn(tree)].flatMap((node) => {
    const names = columnNames(node) ?? [];
    const at = names.slice(0, 2).findIndex((name) => name.toLowerCase() === 'data');
    return at < 0 || at + 1 >= names.length ? [] : [names.slice(at + 1)];
  });
}

function isReadings({ type, schema_name: schema, table_name: table }: TreeNode): boolean {
  return type === 'BASE_TABLE' && String(table).toLowerCase() === 'readings' && ['', 'main'].includes(String(schema));
}

/** Whether a node may read the table without mentioning it: `SUMMARIZE readings`, `FROM query_table('readings')`. */
function isHidden(node: TreeNode): boolean {
  if (node.type === 'SHOW_REF') return true;
  return node.class === 'FUNCTION' && hidingFunctions.has(String(node['function_name']).toLowerCase());
}

function aliasOf({ alias, table_name: table }: TreeNode): string {
  return String(alias === '' ? table : alias).toLowerCase();
}

function mentionIn(where: unknown, alias: string): Mention {
  const all = conjuncts(where);
  return {
    conditions: all.map((each) => captureCondition(each, alias)).filter((each) => each !== undefined),
    bounds: all.flatMap((each) => boundsIn(each, alias)),
  };
}

function conjuncts(where: unknown): TreeNode[] {
  if (!isNode(where)) return [];
  if (where.type !== 'CONJUNCTION_AND') return [where];
  return (where['children'] as unknown[]).flatMap(conjuncts);
}

/** The condition without the name of the table; undefined if it uses other columns than those of captures. */
function captureCondition(condition: TreeNode, alias: string): TreeNode | undefined {
  if (!isDeterministic(condition)) return undefined;
  const columns = [...nodesIn(condition)].map(columnNames).filter((names) => names !== undefined);
  const isOfCapture = (names: readonly string[]): boolean =>
    captureColumns.has(unqualified(names, alias)[0]?.toLowerCase() ?? '');
  return columns.length > 0 && columns.every(isOfCapture) ? withoutAlias(condition, alias) : undefined;
}

function boundsIn(condition: TreeNode, alias: string): TimeBound[] {
  const isTime = (node: unknown): boolean => {
    const names = unqualified(columnNames(node) ?? [], alias);
    return names.length === 1 && names[0]?.toLowerCase() === timeColumn;
  };
  const bound = (side: TimeBound['side'] | undefined, node: unknown): TimeBound[] =>
    side !== undefined && isNode(node) && isConstant(node) ? [{ side, expression: node }] : [];
  if (condition.type === 'COMPARE_BETWEEN') {
    if (!isTime(condition['input'])) return [];
    return [...bound('from', condition['lower']), ...bound('to', condition['upper'])];
  }
  const { left, right } = condition;
  const [ofLeft, ofRight] = sides[String(condition.type)] ?? [];
  if (isTime(left)) return bound(ofLeft, right);
  return isTime(right) ? bound(ofRight, left) : [];
}

function isConstant(expression: TreeNode): boolean {
  return isDeterministic(expression) && [...nodesIn(expression)].every((node) => node.class !== 'COLUMN_REF');
}

/** Whether an expression has the same value for a row wherever and whenever it is evaluated. */
function isDeterministic(expression: TreeNode): boolean {
  return [...nodesIn(expression)].every(
    (node) =>
      !notOfOneRow.has(String(node.class)) &&
      !(node.class === 'FUNCTION' && volatile.has(String(node['function_name']).toLowerCase())) &&
      // A larger integer has lost precision as a JavaScript number.
      !(typeof node['value'] === 'number' && Number.isInteger(node['value']) && !Number.isSafeInteger(node['value'])),
  );
}

function unqualified(names: readonly string[], alias: string): readonly string[] {
  return names.length > 1 && names[0]?.toLowerCase() === alias ? names.slice(1) : names;
}

function withoutAlias<T>(value: T, alias: string): T {
  if (Array.isArray(value)) return value.map((inner: unknown) => withoutAlias(inner, alias)) as T;
  if (!isNode(value)) return value;
  const names = columnNames(value);
  if (names !== undefined) return { ...value, column_names: unqualified(names, alias) };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutAlias(inner, alias)])) as T;
}
