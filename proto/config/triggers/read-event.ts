import { nearest } from '../nearest.ts';
import { joinPointer } from '../text/json-pointer.ts';
import type { JsonValue } from '../text/json-text.ts';
import { isJsonObject } from '../text/text-entries.ts';
import { isOfType, parseCaptureMethod, shortType, type CaptureMethod } from './capture-method.ts';
import { leavesOf, type Condition, type Operator } from './conditions.ts';
import type { TriggerContext } from './trigger-context.ts';
import { shownValue, type TriggerProblems } from './trigger-problems.ts';
import type { DataType, EventType, TriggerEvent } from './trigger.ts';

const ORDERS: readonly Operator[] = ['lt', 'gt', 'lte', 'gte'];
/** What each kind of event needs beside its type. */
const details: Readonly<Partial<Record<EventType, string>>> = {
  part_data_ingested: 'data_ingested',
  conditional_data_ingested: 'conditional',
};

/** Reads an event that fits its schema; undefined where it cannot be used. */
export function readEvent(
  value: JsonValue,
  pointer: string,
  problems: TriggerProblems,
  context: TriggerContext,
): TriggerEvent | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = value['type'] as EventType;
  const detail = details[type];
  for (const key of Object.values(details)) {
    if (key === detail || value[key] === undefined) continue;
    problems.warning(joinPointer(pointer, key), 'trigger.no_effect', `"${key}" has no effect in an event ${type}.`);
  }
  if (detail === undefined) return { type: type as 'part_online' | 'part_offline' };
  const inner = value[detail];
  const at = joinPointer(pointer, detail);
  if (!isJsonObject(inner)) {
    problems.add({
      pointer,
      severity: 'error',
      code: 'trigger.missing',
      text: `an event ${type} needs "${detail}" beside its type.`,
      missing: detail,
    });
    return undefined;
  }
  if (type === 'part_data_ingested') return { type, dataTypes: inner['data_types'] as DataType[] };
  const method = readMethod(inner['data_capture_method'] as string, joinPointer(at, 'data_capture_method'), problems);
  if (method !== undefined) checkMethod(method, joinPointer(at, 'data_capture_method'), problems, context);
  const written = inner['conditions'];
  const evals = isJsonObject(written) && Array.isArray(written['evals']) ? written['evals'] : [];
  const evalsAt = joinPointer(joinPointer(at, 'conditions'), 'evals');
  const conditions = evals.map((one, index) => readEval(one, joinPointer(evalsAt, index), problems, context));
  const all = conditions.flatMap((one) => one ?? []);
  if (method === undefined || conditions.includes(undefined)) return undefined;
  return {
    type: 'conditional_data_ingested',
    method,
    conditions: all,
    written: evals.length === 0 ? undefined : written,
  };
}

function readMethod(text: string, pointer: string, problems: TriggerProblems): CaptureMethod | undefined {
  const method = parseCaptureMethod(text);
  if (method === undefined) {
    const form = 'sensor:NAME:Readings';
    problems.error(
      pointer,
      'trigger.bad_method',
      `${shownValue(text)} names no captured method; write type, name and method, for example ${form}.`,
      ['<component-type>:<component-name>:<method>'],
    );
  }
  return method;
}

/** Only warnings: what is missing may be added later. */
function checkMethod(
  method: CaptureMethod,
  pointer: string,
  problems: TriggerProblems,
  { captured }: TriggerContext,
): void {
  const named = captured.find(({ api, name }) => name === method.component && isOfType(method, api));
  if (named === undefined) {
    const names = captured.filter(({ api }) => isOfType(method, api)).map(({ name }) => name);
    const there = names.length === 0 ? 'there is none' : `there is ${names.slice(0, 10).join(', ')}`;
    const guess = nearest(method.component, names);
    problems.warning(
      pointer,
      'trigger.no_component',
      `the configuration has no ${shortType(method.type)} "${method.component}": ${there}.`,
      { allowed: names, nearest: guess },
    );
    return;
  }
  if (named.methods.includes(method.method)) return;
  const { methods } = named;
  const there = methods.length === 0 ? 'nothing of it is captured' : `what is captured is ${methods.join(', ')}`;
  problems.warning(
    pointer,
    'trigger.no_method',
    `"${method.method}" of "${method.component}" is not captured, so that this trigger cannot fire: ${there}.`,
    { allowed: methods, nearest: nearest(method.method, methods) },
  );
}

/** The comparisons of one eval; undefined where it cannot be used. */
function readEval(
  value: JsonValue,
  pointer: string,
  problems: TriggerProblems,
  { compilePattern }: TriggerContext,
): readonly Condition[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const operator = value['operator'] as Operator;
  const at = joinPointer(pointer, 'value');
  const leaves = leavesOf(value['value'] ?? null);
  if (leaves === undefined) {
    problems.error(
      at,
      'trigger.bad_value',
      'a value is text, a number, true or false, or an object with such values; null and arrays are not compared.',
    );
    return undefined;
  }
  if (leaves.length === 0) {
    problems.error(at, 'trigger.bad_value', 'the value names no field; write for example {"cpu": 50}.');
    return undefined;
  }
  const conditions = leaves.map(({ path, value: expected }): Condition | undefined => {
    const where = path.reduce<string>((joined, key) => joinPointer(joined, key), at);
    const place = path.length === 0 ? undefined : path;
    if (ORDERS.includes(operator) && typeof expected !== 'number') {
      problems.error(
        where,
        'trigger.bad_value',
        `"${operator}" compares numbers, and this is ${shownValue(expected)}.`,
      );
      return undefined;
    }
    if (operator !== 'regex') return { path: place, operator, expected };
    if (typeof expected !== 'string') {
      problems.error(
        where,
        'trigger.bad_value',
        `"regex" takes a pattern in double quotes, not ${shownValue(expected)}.`,
      );
      return undefined;
    }
    const compiled = compilePattern(expected);
    if (compiled.kind === 'valid') return { path: place, operator, expected, pattern: compiled.pattern };
    problems.error(
      where,
      'trigger.bad_pattern',
      `${shownValue(expected)} is no regular expression (syntax of RE2): ${compiled.reason}.`,
    );
    return undefined;
  });
  return conditions.includes(undefined) ? undefined : conditions.flatMap((one) => one ?? []);
}
