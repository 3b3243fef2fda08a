import { findBuiltinModel } from '../../../../shared/builtin-models.ts';
import { clockProblems } from '../../../../../src-main/machine/models/wiring/pwm-clock.ts';
import {
  wiringProblems,
  type ResourceLookup,
  type WiredResource,
  type WiringFix,
} from '../../../../../src-main/machine/models/wiring/wiring.ts';
import { plainProblems } from '../../../../../proto/config/schema/plain-problems.ts';
import type { JsonValue } from '../../../../../proto/config/text/json-text.ts';
import type { DocumentEntry, DocumentModel } from '../../document/document-model.ts';
import type { FieldProblem } from '../field-problems.ts';
import { isObject } from '../fields/form-field.ts';

/** Checks the pins that an entry uses against its board in the draft; on the page, with the machine's messages. */
export function draftWiring({ entries }: DocumentModel, entry: DocumentEntry): FieldProblem[] {
  const resource = wiredOf(entry);
  if (resource === undefined || entry.value['disabled'] === true) return [];
  const known = new Map<DocumentEntry, WiredResource | undefined>();
  const read = (one: DocumentEntry): WiredResource | undefined => {
    if (one.value['disabled'] === true) return undefined;
    if (!known.has(one)) known.set(one, wiredOf(one));
    return known.get(one);
  };
  const find: ResourceLookup = (name, api) => {
    const meant = entries.filter((one) => one.api === api && (one.fullName === name || one.name === name));
    const [only] = meant;
    return meant.length === 1 && only !== undefined ? read(only) : undefined;
  };
  const all = entries.flatMap((one) => (one === entry ? resource : (read(one) ?? [])));
  const found = [...wiringProblems(resource, find), ...clockProblems(resource, all, find)];
  return found.map(({ pointer, severity, message, fix }) => ({
    pointer: `${entry.pointer}/attributes${pointer}`,
    severity,
    message,
    isAtKey: false,
    isNeeded: false,
    ...(fix === undefined ? {} : { fix }),
  }));
}

/** Undefined if the attributes do not match the schema of their model, which the rules require. */
function wiredOf({ name, api, model, value }: DocumentEntry): WiredResource | undefined {
  const rules = findBuiltinModel(api, model);
  const attributes = value['attributes'] ?? {};
  if (rules === undefined || !isObject(attributes)) return undefined;
  const problems = plainProblems(rules.schema, attributes as JsonValue);
  if (problems.some(({ severity }) => severity === 'error')) return undefined;
  return { name, api, model, attributes };
}

/** The list of a board's attributes with the item that a fix adds, and its path; undefined if the board is gone. */
export function fixedList(
  { entries }: DocumentModel,
  { board, list, item }: WiringFix,
): { readonly path: (string | number)[]; readonly items: readonly unknown[] } | undefined {
  const entry = entries.find(({ api, name }) => api === 'core:component:board' && name === board);
  if (entry === undefined) return undefined;
  const attributes = entry.value['attributes'];
  const now = isObject(attributes) ? attributes[list] : undefined;
  const items: readonly unknown[] = Array.isArray(now) ? now : [];
  return { path: [entry.section, entry.index, 'attributes', list], items: [...items, item] };
}
