/** The part of JSON Schema (draft 2020-12) that our schemas use, with the words the form is made from. */
export interface JsonSchema {
  readonly $id?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  /** Unit shown behind the field: `rpm`, `Hz`, `ms`. Ours. */
  readonly 'x-unit'?: string;
  /** The value names another resource of this API: the form offers those. Ours. */
  readonly 'x-resource'?: string;
  /** Known in the field, without effect in this version: one warning "not supported yet" (ruling 4). Ours. */
  readonly 'x-unsupported'?: boolean;
}

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
