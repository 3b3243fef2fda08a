import { joinPointer } from '../../../proto/config/text/json-pointer.ts';
import type { JsonValue } from '../../../proto/config/text/json-text.ts';
import { parseFullName } from '../../../proto/config/names.ts';
import { isSecretPointer } from '../../../proto/config/secrets.ts';
import {
  entryDifferences,
  isJsonObject,
  isSameValue,
  textEntries,
  type TextEntry,
} from '../../../proto/config/text/text-entries.ts';

/** One difference between two configurations. */
export interface TextChange {
  readonly kind: 'add' | 'change' | 'remove';
  /** Full name of a resource, `module/<name>`, or a key of the document. */
  readonly subject: string;
  /** `max_rpm 60 to 70`; `added`; `removed` */
  readonly reason: string;
  /** Keys of the entry and of its attributes that differ. */
  readonly fields: readonly string[];
}

export interface TextDifference {
  readonly changes: readonly TextChange[];
  /** One line for the history. */
  readonly summary: string;
}

type JsonObject = Readonly<Record<string, JsonValue>>;

const MAX_VALUE_CHARS = 40;
const nothing: ReadonlyMap<string, TextEntry> = new Map();

/**
 * What changed from one configuration to another, found from the texts alone: for versions that are stored while their
 * machine is offline. The machine's own plan has more details, and replaces this later.
 */
export function textDifference(from: string, to: string): TextDifference {
  const before = textEntries(from) ?? nothing;
  const after = textEntries(to) ?? nothing;
  const changes = entryDifferences(before, after).map(({ subject, was, is }): TextChange => {
    if (was === undefined) return { kind: 'add', subject, reason: 'added', fields: [] };
    if (is === undefined) return { kind: 'remove', subject, reason: 'removed', fields: [] };
    return changeOf(subject, was, is);
  });
  return { changes, summary: summaryOf(changes) };
}

function changeOf(subject: string, was: TextEntry, is: TextEntry): TextChange {
  if (!isJsonObject(was.value) || !isJsonObject(is.value)) {
    return { kind: 'change', subject, reason: 'changed', fields: [] };
  }
  const fields = [
    ...fieldsOf(was.value, is.value, is.pointer, ['attributes']),
    ...fieldsOf(
      asObject(was.value['attributes']),
      asObject(is.value['attributes']),
      joinPointer(is.pointer, 'attributes'),
      [],
    ),
  ];
  const [only] = fields;
  const reason = fields.length === 1 && only !== undefined ? only.words : `${fields.length} settings changed`;
  return { kind: 'change', subject, reason, fields: fields.map(({ key }) => key) };
}

interface FieldChange {
  readonly key: string;
  readonly words: string;
}

function fieldsOf(was: JsonObject, is: JsonObject, pointer: string, except: readonly string[]): FieldChange[] {
  const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...keys].flatMap((key) => {
    const before = was[key];
    const after = is[key];
    if (except.includes(key) || isSameValue(before, after)) return [];
    const isSecret = isSecretPointer(joinPointer(pointer, key));
    return [{ key, words: isSecret ? `${key} changed` : wordsOf(key, before, after) }];
  });
}

function wordsOf(key: string, before: JsonValue | undefined, after: JsonValue | undefined): string {
  if (before === undefined) return isShort(after) ? `${key} set to ${JSON.stringify(after)}` : `${key} added`;
  if (after === undefined) return `${key} removed`;
  return isShort(before) && isShort(after)
    ? `${key} ${JSON.stringify(before)} to ${JSON.stringify(after)}`
    : `${key} changed`;
}

function isShort(value: JsonValue | undefined): boolean {
  return (typeof value !== 'object' || value === null) && (JSON.stringify(value) ?? '').length <= MAX_VALUE_CHARS;
}

function summaryOf(changes: readonly TextChange[]): string {
  const [only] = changes;
  if (only === undefined) return 'no changes';
  if (changes.length === 1) {
    const name = parseFullName(only.subject)?.name ?? only.subject.replace(/^module\//, 'module ');
    return `${name}: ${only.reason}`;
  }
  const count = (kind: TextChange['kind']): number => changes.filter((change) => change.kind === kind).length;
  const counts = [
    [count('add'), 'added'],
    [count('change'), 'changed'],
    [count('remove'), 'removed'],
  ] as const;
  return counts.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`])).join(', ');
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
