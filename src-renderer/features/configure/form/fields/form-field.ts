import type { JsonSchema } from '../../../../../proto/config/schema/json-schema.ts';
import { hardwareInputs } from '../../hardware/hardware-input.ts';

/** How a value is shown. */
export type FieldKind =
  | 'text'
  | 'long-text'
  | 'number'
  | 'duration'
  | 'log-level'
  | 'two-way'
  | 'choice'
  | 'resource'
  | 'pin'
  | 'reading'
  /** A name or number with suggestions from the hardware of the computer. */
  | 'hardware'
  | 'driver-pins'
  /** An object with known keys, shown in place. */
  | 'group'
  /** An object with required keys: it is added and removed as a whole. */
  | 'whole-group'
  | 'texts'
  | 'numbers'
  /** An object with free keys, each with a text or a number. */
  | 'map'
  | 'cards'
  /** A value that no field can show, or that does not fit its schema. */
  | 'json'
  /** A known key without effect here: shown only if it is set, so that it can be removed. */
  | 'without-effect';

/** One field of a form, made from a property of a schema. */
export interface Field {
  readonly key: string;
  readonly kind: FieldKind;
  readonly schema: JsonSchema;
  readonly label: string;
  readonly isRequired: boolean;
  /** Width, in columns of three. */
  readonly columns: 1 | 2 | 3;
}

/** A form for one object. */
export interface FormShape {
  readonly fields: readonly Field[];
  /** Keys of the value that the schema does not have: kept as they are. */
  readonly otherKeys: readonly string[];
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A label for use within a sentence: `Encoder pins` becomes `encoder pins`, `PWM frequency` stays. */
export function midSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** A value as one line of text: a string as it is, anything else as JSON; '' for undefined. */
export function shownAsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

/** Up to this many values are shown as buttons; more are shown as a list to pick from. */
export const MAX_OPEN_CHOICES = 4;

/** The form for `value`, which should fit `schema`. Leaves out the keys in `left`, which are shown elsewhere. */
export function formShape(schema: JsonSchema, value: unknown, left: readonly string[] = []): FormShape {
  const present = isObject(value) ? value : {};
  const properties = schema.properties ?? {};
  const fields = Object.entries(properties).flatMap(([key, property]): Field[] => {
    if (left.includes(key)) return [];
    const found = present[key];
    const isWithoutEffect = property.deprecated === true || property['x-unsupported'] === true;
    if (isWithoutEffect && found === undefined) return [];
    const kind = isWithoutEffect ? 'without-effect' : kindFor(property, found);
    const isRequired = schema.required?.includes(key) === true;
    return [
      { key, kind, schema: property, label: property.title ?? key, isRequired, columns: columnsOf(property, kind) },
    ];
  });
  const otherKeys = Object.keys(present).filter((key) => !Object.hasOwn(properties, key) && !left.includes(key));
  return { fields, otherKeys };
}

/** The kind of field for a schema; `json` if that kind cannot show the present value. */
export function kindFor(schema: JsonSchema, found: unknown): FieldKind {
  const kind = kindOf(schema);
  return found === undefined || canShow(kind, found) ? kind : 'json';
}

/** The kind of field for a schema. */
export function kindOf(schema: JsonSchema): FieldKind {
  const { type, enum: allowed, properties } = schema;
  const input = schema['x-input'];
  if (input === 'driver-pins' || input === 'duration' || input === 'log-level') return input;
  if (input === 'text-area') return 'long-text';
  if (input === 'reading') return input;
  if (input === 'pin' || input === 'interrupt') return 'pin';
  if (hardwareInputs.some((one) => one === input)) return 'hardware';
  if (schema['x-resource'] !== undefined) return 'resource';
  if (allowed !== undefined && allowed.every((one) => typeof one === 'string')) return 'choice';
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'two-way';
  if (type === 'array' && schema.items !== undefined) return kindOfList(schema.items);
  if (type === 'object' && properties !== undefined && typeof schema.additionalProperties !== 'object') {
    return (schema.required ?? []).length > 0 ? 'whole-group' : 'group';
  }
  return isMap(schema) ? 'map' : 'json';
}

function isMap({ type, properties, additionalProperties: values }: JsonSchema): boolean {
  if (type !== 'object' || properties !== undefined || typeof values !== 'object') return false;
  const kind = kindOf(values);
  return kind === 'text' || kind === 'number';
}

function kindOfList(items: JsonSchema): FieldKind {
  if (items.type === 'string' && items.enum === undefined) return 'texts';
  const kind = kindOf(items);
  if (kind === 'number') return 'numbers';
  return kind === 'group' || kind === 'whole-group' ? 'cards' : 'json';
}

function canShow(kind: FieldKind, value: unknown): boolean {
  switch (kind) {
    case 'two-way':
      return typeof value === 'boolean';
    case 'driver-pins':
    case 'group':
    case 'whole-group':
      return isObject(value);
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'numbers':
      return Array.isArray(value) && value.every(isScalar);
    case 'map':
      return isObject(value) && Object.values(value).every(isScalar);
    case 'cards':
      return Array.isArray(value) && value.every(isObject);
    case 'json':
    case 'without-effect':
      return true;
    default:
      // A number instead of text, or the reverse, can be shown and corrected in the same field.
      return isScalar(value);
  }
}

function columnsOf(schema: JsonSchema, kind: FieldKind): 1 | 2 | 3 {
  const columns = schema['x-columns'];
  if (columns !== undefined) return columns;
  const wide: readonly FieldKind[] = ['json', 'group', 'whole-group', 'cards', 'long-text'];
  if (wide.includes(kind)) return 3;
  return kind === 'map' ? 2 : 1;
}
