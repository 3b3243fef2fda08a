import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { joinPointer, pointerSteps } from '../../../../proto/config/text/json-pointer.ts';
import { findBuiltinModel } from '../../../shared/builtin-models.ts';
import { formatTriplet, fullName, parseFullName, shortNameOf, parseTriplet } from '../../../../proto/config/names.ts';
import { findEntry, isResource, type DocumentEntry, type DocumentModel, type Reference } from './document-model.ts';

/** A text in a value that is, or may be, the name of a resource. */
interface NamedText {
  readonly text: string;
  readonly pointer: string;
  /** API that the named resource must have; undefined for any. */
  readonly api: string | undefined;
  readonly isCertain: boolean;
}

/**
 * Every place that names a resource or module, by its full or short name: attributes that the model's schema marks with
 * `x-resource`, `depends_on`, `maintenance.sensor_name` and log patterns. For a remote, every place that names one of
 * its resources (`far:left`). `newName` is the short name that a rename would write; the text around it stays.
 */
export function findReferences(model: DocumentModel, name: string, newName = ''): readonly Reference[] {
  const target = findEntry(model, name);
  const wanted = target?.fullName ?? name;
  const short = target?.name ?? shortNameOf(name);
  if (short === '') return [];
  const found: Reference[] = [];
  const add = (holder: DocumentEntry | undefined, named: NamedText, end = named.text.length): void => {
    const steps = pointerSteps(named.pointer.slice(holder?.pointer.length ?? 0)) ?? [];
    found.push({
      holder,
      pointer: named.pointer,
      where: (holder === undefined ? '' : `${holder.name} · `) + steps.join('.'),
      now: named.text,
      renamed: named.text.slice(0, end - short.length) + (newName === '' ? short : newName) + named.text.slice(end),
      isCertain: named.isCertain,
    });
  };
  if (target === undefined || isResource(target)) {
    for (const holder of model.entries) {
      for (const named of namesIn(holder)) if (isNameOf(model, named, wanted, short)) add(holder, named);
    }
    const sensor = sensorName(model);
    if (sensor !== undefined && isNameOf(model, sensor, wanted, short)) add(undefined, sensor);
  }
  if (target?.section === 'remotes') {
    const sensor = sensorName(model);
    const all = model.entries.flatMap((holder) => namesIn(holder).map((named) => ({ holder, named })));
    for (const { holder, named } of [...all, ...(sensor === undefined ? [] : [{ holder: undefined, named: sensor }])]) {
      const end = endOfMachine(named.text, short);
      if (end !== undefined) add(holder, named, end);
    }
  }
  for (const pattern of logPatterns(model)) {
    const match = matchPattern(pattern.text, wanted, short);
    if (match !== 'no') add(undefined, { ...pattern, isCertain: match === 'exact' });
  }
  return found;
}

/** Cached by the value of an entry: every change of an entry makes a new value. */
const namesFound = new WeakMap<object, { readonly pointer: string; readonly names: readonly NamedText[] }>();

/** All names in an entry, each with whether it is certain to be a name. */
export function namesIn(entry: DocumentEntry): readonly NamedText[] {
  const found = namesFound.get(entry.value);
  if (found !== undefined && found.pointer === entry.pointer) return found.names;
  const names = findNames(entry);
  namesFound.set(entry.value, { pointer: entry.pointer, names });
  return names;
}

function findNames(entry: DocumentEntry): readonly NamedText[] {
  if (!isResource(entry)) return [];
  const { value, pointer } = entry;
  const schema = findBuiltinModel(entry.api, entry.model)?.schema;
  const attributes = joinPointer(pointer, 'attributes');
  return [
    ...(schema === undefined
      ? textsIn(value['attributes'], attributes)
      : markedTexts(schema, value['attributes'], attributes)),
    ...dependsOn(value['depends_on'], joinPointer(pointer, 'depends_on')),
    ...textsIn(value['service_configs'], joinPointer(pointer, 'service_configs')),
  ];
}

/** Whether a text names the wanted resource; among several with the same short name, the one with the right API. */
function isNameOf(model: DocumentModel, named: NamedText, wanted: string, short: string): boolean {
  if (named.text !== short) return canonicalFullName(named.text) === wanted && wanted !== '';
  if (named.api === undefined) return true;
  const namesakes = model.entries.filter((entry) => entry.name === short && entry.api === named.api);
  return namesakes.length === 0 || namesakes.some((entry) => entry.fullName === wanted);
}

/** Where the remote's name ends in the full or short name of one of its resources; undefined for any other text. */
function endOfMachine(text: string, machine: string): number | undefined {
  const name = shortNameOf(text);
  return name.startsWith(`${machine}:`) ? text.length - name.length + machine.length : undefined;
}

function canonicalFullName(text: string): string | undefined {
  const parsed = parseFullName(text);
  return parsed === undefined ? undefined : fullName(parsed.api, parsed.name);
}

function dependsOn(value: unknown, pointer: string): NamedText[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((text: unknown, index) =>
    typeof text === 'string' ? [{ text, pointer: joinPointer(pointer, index), api: undefined, isCertain: true }] : [],
  );
}

/** The texts in a value that the schema marks with `x-resource`. */
function markedTexts(schema: JsonSchema, value: unknown, pointer: string): NamedText[] {
  const api = schema['x-resource'];
  if (typeof value === 'string') return api === undefined ? [] : [{ text: value, pointer, api, isCertain: true }];
  const alternatives = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const found = alternatives.flatMap((alternative) => markedTexts(alternative, value, pointer));
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) {
      value.forEach((item: unknown, index) => found.push(...markedTexts(items, item, joinPointer(pointer, index))));
    }
  } else if (isJsonObject(value)) {
    for (const [key, part] of Object.entries(value)) {
      const inner = propertySchema(schema, key);
      if (inner !== undefined) found.push(...markedTexts(inner, part, joinPointer(pointer, key)));
    }
  }
  return found.filter((named, index) => found.findIndex((other) => other.pointer === named.pointer) === index);
}

function propertySchema(schema: JsonSchema, key: string): JsonSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** All texts in a value without a known schema: a full name is certain to be a name, a short one is not. */
function textsIn(value: unknown, pointer: string): NamedText[] {
  if (typeof value === 'string') {
    return [{ text: value, pointer, api: undefined, isCertain: parseFullName(value) !== undefined }];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => textsIn(item, joinPointer(pointer, index)));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => textsIn(part, joinPointer(pointer, key)));
}

function sensorName(model: DocumentModel): NamedText | undefined {
  const { maintenance } = model.root;
  const text = isJsonObject(maintenance) ? maintenance['sensor_name'] : undefined;
  if (typeof text !== 'string') return undefined;
  return { text, pointer: '/maintenance/sensor_name', api: 'core:component:sensor', isCertain: true };
}

function logPatterns(model: DocumentModel): NamedText[] {
  const { log } = model.root;
  if (!Array.isArray(log)) return [];
  return log.flatMap((entry: unknown, index) => {
    const text = isJsonObject(entry) ? entry['pattern'] : undefined;
    if (typeof text !== 'string') return [];
    return [{ text, pointer: `/log/${index}/pattern`, api: undefined, isCertain: false }];
  });
}

/**
 * Whether a log pattern matches the logger of one resource or module: `core.component.motor.left`
 * or another name of that logger, or such a name with a `*` before `.left`.
 */
function matchPattern(pattern: string, wanted: string, short: string): 'exact' | 'with-star' | 'no' {
  const names = loggerNames(wanted, short);
  if (names.includes(pattern)) return 'exact';
  const head = pattern.slice(0, pattern.length - short.length);
  if (!pattern.endsWith(short) || !/[./]$/.test(head) || !head.includes('*')) return 'no';
  const isMeant = (name: string): boolean => fitsStars(name.slice(0, name.length - short.length), head.split(/\*+/));
  return names.some(isMeant) ? 'with-star' : 'no';
}

/** Whether a text is these parts with anything between them. Takes the first match of each, so it never backtracks. */
function fitsStars(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

function loggerNames(wanted: string, short: string): string[] {
  if (wanted.startsWith('remote/')) return [];
  if (wanted.startsWith('module/')) return [short, `core.modmanager.${short}`, `rdk.modmanager.${short}`];
  const full = parseFullName(wanted);
  const triplet = full === undefined ? undefined : parseTriplet(full.api);
  if (triplet === undefined) return [];
  const spellings = triplet.namespace === 'core' ? ['core', 'rdk'] : [triplet.namespace];
  return spellings.flatMap((namespace) => {
    const api = formatTriplet({ ...triplet, namespace: '' }).slice(1);
    const name = `${namespace}:${api}/${short}`;
    return [
      name,
      `${namespace}.${api.replace(':', '.')}.${short}`,
      `core.resource_manager.${name}`,
      `rdk.resource_manager.${name}`,
    ];
  });
}
