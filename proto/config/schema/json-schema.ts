/** The part of JSON Schema (draft 2020-12) that our schemas use, with the keywords that the form is made from. */
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
  readonly maxItems?: number;
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
  /** A change of the value takes effect without rebuilding the resource. For a model's own attributes. Ours. */
  readonly 'x-in-place'?: boolean;
  /** Known in the field, without effect in this version: one warning "not supported yet". Ours. */
  readonly 'x-unsupported'?: boolean;
  /** Which field the form shows, where the type alone does not determine it. Ours. */
  readonly 'x-input'?: InputKind;
  /** For a boolean: the words for false and for true. Ours. */
  readonly 'x-words'?: readonly [string, string];
  /** For the input `reading`: the key beside it that names the sensor. Ours. */
  readonly 'x-reading-of'?: string;
  /** Keys that a form writes for a new object, besides the required ones. Ours. */
  readonly 'x-initial'?: readonly string[];
  /** Columns of three that the field takes in a wide form; 1 where absent. Ours. */
  readonly 'x-columns'?: 1 | 2 | 3;
}

/**
 * A duration such as 300ms, a log level, a longer text, the full name of the
 * resource that `x-resource` asks for, a pin or a digital interrupt of the
 * board that `board` beside it names or that the form is about, the pins of a
 * motor driver, a reading of the sensor that `x-reading-of` names; and, of the machine's computer: a GPIO chip, a line of the
 * chip that `device_name` beside it names, a PWM chip, a channel of the one
 * that `pwm_chip_sysfs_dir` names, the bus of the converter that `chip` names,
 * its chip select on `spi_bus`.
 */
export type InputKind =
  | 'duration'
  | 'log-level'
  | 'text-area'
  | 'full-name'
  | 'pin'
  | 'interrupt'
  | 'driver-pins'
  | 'reading'
  | 'gpio-chip'
  | 'gpio-line'
  | 'pwm-chip'
  | 'pwm-channel'
  | 'converter-bus'
  | 'converter-select';

/** Our own keywords. A validator must ignore them. */
export const ownKeywords: readonly string[] = [
  'x-unit',
  'x-resource',
  'x-in-place',
  'x-unsupported',
  'x-input',
  'x-words',
  'x-reading-of',
  'x-columns',
  'x-initial',
];

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
