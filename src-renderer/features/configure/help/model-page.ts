import type { ModelSchema } from '../../../../proto/config/models/model-schema.ts';
import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { modelLabel, subtypeOf } from '../../../shared/machine/rpc/status-merge.ts';
import { isObject } from '../form/fields/form-field.ts';
import { attributeName } from './help-address.ts';

/** One attribute on the page of its model. */
export interface AttributeHelp {
  /** `pins.dir`. */
  readonly name: string;
  readonly label: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** How deep it is inside of others; 0 for an attribute of the model itself. */
  readonly depth: number;
  /** A value that fits; undefined if none is known. */
  readonly example: unknown;
}

/** What is to be read about a model: made from its schema, so it says what the form and the machine check. */
export interface ModelPage {
  readonly title: string;
  readonly description: string;
  readonly attributes: readonly AttributeHelp[];
  /** Complete entries of a configuration, as JSON. */
  readonly examples: readonly string[];
}

/** The page of a built-in model. Attributes without an effect are left out. */
export function modelPage({ api, model, summary, schema }: ModelSchema): ModelPage {
  const subtype = subtypeOf(api);
  const entryOf = (attributes: unknown): string =>
    JSON.stringify({ name: `${subtype}-1`, api, model: modelLabel(model), attributes }, null, 2);
  return {
    title: schema.title ?? summary,
    description: schema.description ?? summary,
    attributes: attributesIn(schema, schema, []),
    examples: (schema.examples ?? []).map(entryOf),
  };
}

function attributesIn(model: JsonSchema, holder: JsonSchema, steps: readonly string[]): AttributeHelp[] {
  return Object.entries(holder.properties ?? {}).flatMap(([key, schema]): AttributeHelp[] => {
    if (isWithoutEffect(schema)) return [];
    const at = [...steps, key];
    const own = {
      name: attributeName(at),
      label: schema.title ?? key,
      schema,
      isRequired: holder.required?.includes(key) === true,
      depth: steps.length,
      example: exampleOf(model, schema, at),
    };
    return [own, ...attributesIn(model, schema, at), ...(schema.items ? attributesIn(model, schema.items, at) : [])];
  });
}

/** Whether a key is known but does nothing here: the form shows it only to remove it. */
export function isWithoutEffect(schema: JsonSchema): boolean {
  return schema.deprecated === true || schema['x-unsupported'] === true;
}

/**
 * An example of an attribute's value: its own, or the one that it has in a complete example of its model.
 * @param model schema of the model
 * @param schema that of the attribute
 * @param steps its keys, with or without positions in lists
 */
export function exampleOf(model: JsonSchema, schema: JsonSchema, steps: readonly (string | number)[]): unknown {
  const [own] = schema.examples ?? [];
  if (own !== undefined) return own;
  const keys = steps.filter((step) => typeof step === 'string');
  for (const whole of model.examples ?? []) {
    const found = valueIn(whole, keys);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value at keys; in a list, that of the first item that has it. */
function valueIn(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  if (Array.isArray(value)) {
    for (const item of value) {
      const found = valueIn(item, [key, ...rest]);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return isObject(value) && Object.hasOwn(value, key) ? valueIn(value[key], rest) : undefined;
}
