import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { canonicalModel } from '../../../../proto/config/names.ts';
import { isSecretPointer, MASK } from '../../../../proto/config/secrets.ts';
import {
  entryDifferences,
  isJsonObject,
  isSameValue,
  textEntries,
  type TextEntry,
} from '../../../../proto/config/text/text-entries.ts';
import { modelLabel, subtypeOf } from '../../../shared/machine/rpc/status-merge.ts';

/** One value that differs. Secrets are masked: the comparison says only that they differ. */
export interface FieldDifference {
  /** `max_rpm`, `pins.a`, `depends_on`: as in the text, without a leading `attributes`. */
  readonly key: string;
  /** JSON text of each side; undefined if that side does not have it. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly isSecret: boolean;
}

/** A resource, a module or a top-level key of the document that differs. */
export interface SubjectDifference {
  /** `core:component:motor/left`, `module/acme`, `network`. */
  readonly subject: string;
  readonly name: string;
  /** `motor · gpio`; '' for a top-level key. */
  readonly what: string;
  readonly kind: 'added' | 'changed' | 'removed';
  readonly fields: readonly FieldDifference[];
}

/** The differences between two configurations, by resource; undefined if one of them is not a JSON object. */
export function compareByResource(from: string, to: string): readonly SubjectDifference[] | undefined {
  const before = textEntries(from === '' ? '{}' : from);
  const after = textEntries(to === '' ? '{}' : to);
  if (before === undefined || after === undefined) return undefined;
  return entryDifferences(before, after).map(({ subject, was, is }) => ({
    subject,
    name: subject.slice(subject.indexOf('/') + 1),
    what: whatOf(subject, (is ?? was)?.value),
    kind: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed',
    fields: fieldsOf(was, is),
  }));
}

function whatOf(subject: string, value: JsonValue | undefined): string {
  if (subject.startsWith('module/')) return 'module';
  const slash = subject.indexOf('/');
  if (slash < 0) return '';
  const model = isJsonObject(value) ? value['model'] : undefined;
  const label = typeof model === 'string' ? modelLabel(canonicalModel(model) ?? model) : '';
  return [subtypeOf(subject.slice(0, slash)), label].filter((word) => word !== '').join(' · ');
}

/** Keys that identify an entry: its title shows them. */
const identity = new Set(['name', 'api', 'namespace', 'type']);

function fieldsOf(was: TextEntry | undefined, is: TextEntry | undefined): FieldDifference[] {
  const fields: FieldDifference[] = [];
  const pointers = { from: was?.pointer ?? '', to: is?.pointer ?? '' };
  visit(was?.value, is?.value, pointers, '', fields);
  return was !== undefined && is !== undefined ? fields : fields.filter(({ key }) => !identity.has(key));
}

interface Pointers {
  readonly from: string;
  readonly to: string;
}

function visit(
  from: JsonValue | undefined,
  to: JsonValue | undefined,
  pointers: Pointers,
  key: string,
  fields: FieldDifference[],
): void {
  if (isSameValue(from, to)) return;
  const isSecret = isSecretPointer(pointers.from) || isSecretPointer(pointers.to);
  const sides = [from, to].filter((value) => value !== undefined);
  // Goes through the keys of an object that both sides have, and of an entry and its attributes in any case.
  const isOpened = sides.length === 2 || key === '' || key === 'attributes';
  if (!isSecret && isOpened && sides.every((value) => isJsonObject(value))) {
    const keys = new Set(sides.flatMap((value) => Object.keys(value)));
    for (const step of keys) {
      const next = { from: joinPointer(pointers.from, step), to: joinPointer(pointers.to, step) };
      visit(at(from, step), at(to, step), next, key === '' || key === 'attributes' ? step : `${key}.${step}`, fields);
    }
    return;
  }
  fields.push({ key, from: shown(from, pointers.from, isSecret), to: shown(to, pointers.to, isSecret), isSecret });
}

function at(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function shown(value: JsonValue | undefined, pointer: string, isSecret: boolean): string | undefined {
  if (value === undefined) return undefined;
  if (isSecret) return MASK;
  return JSON.stringify(masked(value, pointer)) ?? '';
}

/** The value with all secrets inside it masked. */
function masked(value: JsonValue, pointer: string): JsonValue {
  if (Array.isArray(value)) return value.map((item, index) => inner(item, joinPointer(pointer, index)));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item, joinPointer(pointer, key))]));
}

function inner(value: JsonValue, pointer: string): JsonValue {
  return isSecretPointer(pointer) ? MASK : masked(value, pointer);
}
