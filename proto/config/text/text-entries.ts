import { joinPointer } from './json-pointer.ts';
import { readJsonText, type JsonValue } from './json-text.ts';
import { canonicalApi, fullName } from '../names.ts';

export type JsonObject = Readonly<Record<string, JsonValue>>;

/** A component, service or module of a configuration, or one of its other keys, and where it stands. */
export interface TextEntry {
  readonly value: JsonValue;
  readonly pointer: string;
}

/**
 * The entries of a configuration by subject: full names of resources (`core:component:motor/left`), `module/<name>`,
 * other keys of the document. Undefined where the text is no JSON object.
 */
export function textEntries(text: string): ReadonlyMap<string, TextEntry> | undefined {
  const root = readJsonText(text).root?.value;
  if (!isJsonObject(root)) return undefined;
  const entries = new Map<string, TextEntry>();
  for (const [key, value] of Object.entries(root)) {
    const list = Array.isArray(value) && ['components', 'services', 'modules'].includes(key) ? value : undefined;
    if (list === undefined) entries.set(key, { value, pointer: joinPointer('', key) });
    list?.forEach((item, index) => {
      const pointer = joinPointer(joinPointer('', key), index);
      const subject = isJsonObject(item) ? subjectOf(key, item) : undefined;
      // Of two with one name the machine keeps the first.
      if (subject !== undefined && !entries.has(subject)) entries.set(subject, { value: item, pointer });
    });
  }
  return entries;
}

function subjectOf(list: string, { name, api, type, namespace }: JsonObject): string | undefined {
  if (typeof name !== 'string') return undefined;
  if (list === 'modules') return `module/${name}`;
  const family = list === 'components' ? 'component' : 'service';
  const space = typeof namespace === 'string' && namespace !== '' ? namespace : 'core';
  const text = typeof api === 'string' ? api : `${space}:${family}:${typeof type === 'string' ? type : 'unknown'}`;
  return fullName(canonicalApi(text) ?? text, name);
}

/** An entry that differs between two configurations; undefined where one of them lacks it. */
export interface EntryDifference {
  readonly subject: string;
  readonly was: TextEntry | undefined;
  readonly is: TextEntry | undefined;
}

/** What differs, in the order of `after`; then what only `before` has. */
export function entryDifferences(
  before: ReadonlyMap<string, TextEntry>,
  after: ReadonlyMap<string, TextEntry>,
): readonly EntryDifference[] {
  return [...new Set([...after.keys(), ...before.keys()])]
    .map((subject) => ({ subject, was: before.get(subject), is: after.get(subject) }))
    .filter(({ was, is }) => !isSameValue(was?.value, is?.value));
}

/** Whether a value is an object: no array, not null. */
export function isJsonObject(value: JsonValue | undefined): value is { [key: string]: JsonValue };
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are equal: the order of keys does not count, nor do keys whose value is undefined. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSameValue(item, other[index]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return Object.is(one, other);
  let shared = 0;
  for (const key of Object.keys(one)) {
    const value = one[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(other, key) || !isSameValue(value, other[key])) return false;
    shared += 1;
  }
  const keys = Object.keys(other);
  return keys.length === shared || keys.filter((key) => other[key] !== undefined).length === shared;
}
