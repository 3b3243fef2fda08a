import { leavesOf, operators, type Operator, type Scalar } from '../../../../proto/config/triggers/conditions.ts';
import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';

/** One comparison as the builder shows it. */
export interface BuilderCondition {
  /** Keys from the reading to the field; empty for a reading that is a single value. */
  readonly path: readonly string[];
  readonly operator: Operator;
  readonly expected: Scalar;
}

/** A comparison with the index of its entry in `evals`; an entry may have several comparisons. */
export interface PlacedCondition extends BuilderCondition {
  readonly evalIndex: number;
}

/** All comparisons of `evals`, in order; undefined if the builder does not know one of them. */
export function conditionsOf(evals: readonly unknown[]): readonly PlacedCondition[] | undefined {
  const found: PlacedCondition[] = [];
  for (const [evalIndex, one] of evals.entries()) {
    if (!isJsonObject(one)) return undefined;
    const operator = operators.find((known) => known === one['operator']);
    const leaves = leavesOf((one['value'] ?? null) as JsonValue);
    if (operator === undefined || leaves === undefined || leaves.length === 0) return undefined;
    found.push(...leaves.map(({ path, value }) => ({ evalIndex, path, operator, expected: value })));
  }
  return found;
}

/**
 * Changes one comparison of `evals`, adds one past the end, or removes one if `next` is undefined. The rest stays as
 * written: an entry with several comparisons is split only if necessary.
 */
export function withCondition(
  evals: readonly unknown[],
  at: number,
  next: BuilderCondition | undefined,
): readonly unknown[] {
  const conditions = conditionsOf(evals) ?? [];
  const old = conditions[at];
  if (old === undefined) return next === undefined ? evals : [...evals, evalOf(next)];
  const { evalIndex } = old;
  const before = evals[evalIndex];
  const others = conditions.filter((one) => one.evalIndex === evalIndex && one !== old);
  if (others.length === 0) {
    return next === undefined
      ? evals.toSpliced(evalIndex, 1)
      : evals.with(evalIndex, { ...asObject(before), ...evalOf(next) });
  }
  const fits =
    next !== undefined && next.operator === old.operator && !others.some(({ path }) => overlap(path, next.path));
  const kept = fits
    ? conditions.filter((one) => one.evalIndex === evalIndex).map((one) => (one === old ? next : one))
    : others;
  const rest = { ...asObject(before), value: valueOf(kept) };
  if (next === undefined || fits) return evals.with(evalIndex, rest);
  return evals.toSpliced(evalIndex, 1, rest, evalOf(next));
}

/**
 * Makes a comparison suit the type of the field's current value: numbers are ordered, text and booleans are compared
 * for equality. Keeps what already suits.
 */
export function fitTo(condition: BuilderCondition, found: unknown): BuilderCondition {
  const { operator, expected } = condition;
  if (typeof found === 'number') {
    if (typeof expected === 'number' && operator !== 'regex') return condition;
    return { ...condition, operator: operator === 'regex' ? 'gt' : operator, expected: found };
  }
  if (typeof found === 'boolean') {
    if (typeof expected === 'boolean' && !isOrder(operator) && operator !== 'regex') return condition;
    return { ...condition, operator: operator === 'neq' ? 'neq' : 'eq', expected: found };
  }
  if (typeof found === 'string') {
    if (typeof expected === 'string' && !isOrder(operator)) return condition;
    return { ...condition, operator: isOrder(operator) ? 'eq' : operator, expected: found };
  }
  return condition;
}

/** The comparison with another operator, and a value of the type that the operator takes. */
export function withOperator(condition: BuilderCondition, operator: Operator, found: unknown): BuilderCondition {
  const { expected } = condition;
  if (operator === 'regex') return { ...condition, operator, expected: String(expected) };
  if (!isOrder(operator) || typeof expected === 'number') return { ...condition, operator };
  const meant = typeof expected === 'string' && expected.trim() !== '' ? Number(expected) : Number.NaN;
  const now = typeof found === 'number' ? found : 0;
  return { ...condition, operator, expected: Number.isFinite(meant) ? meant : now };
}

/** Whether an operator takes only numbers. */
export function isOrder(operator: Operator): boolean {
  return operator === 'lt' || operator === 'gt' || operator === 'lte' || operator === 'gte';
}

function evalOf({ operator, path, expected }: BuilderCondition): Record<string, unknown> {
  return { operator, value: valueOf([{ path, expected }]) };
}

/** The `value` of an entry: nested objects for the paths. */
function valueOf(leaves: readonly Pick<BuilderCondition, 'path' | 'expected'>[]): unknown {
  const [first] = leaves;
  if (first === undefined || first.path.length === 0) return first?.expected;
  const keys = new Set(leaves.map(({ path }) => path[0] ?? ''));
  return Object.fromEntries(
    [...keys].map((key) => {
      const inner = leaves.filter(({ path }) => path[0] === key);
      return [key, valueOf(inner.map(({ path, expected }) => ({ path: path.slice(1), expected })))];
    }),
  );
}

/** Whether one path is the beginning of the other, so that both do not fit into one object. */
function overlap(path: readonly string[], other: readonly string[]): boolean {
  const [short, long] = path.length < other.length ? [path, other] : [other, path];
  return short.every((key, index) => key === long[index]);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
