import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { formatNumber } from '../../../shared/format-number.ts';
import type { Text } from '../../../shared/text.ts';
import { shownAsText } from '../form/fields/form-field.ts';
import type { helpMessages } from './messages.ts';

type HelpText = Text<typeof helpMessages>;

/** One fact about an attribute: what it is about, and what it is. */
export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** What the schema of an attribute says of its value, in words: its kind and range, its unit and its default. */
export function attributeFacts(schema: JsonSchema, t: HelpText): readonly Fact[] {
  const { default: standard, 'x-unit': unit } = schema;
  const value = valueWords(schema, t);
  return [
    ...(value === '' ? [] : [{ label: t('help.fact.value'), text: value }]),
    ...(unit === undefined ? [] : [{ label: t('help.fact.unit'), text: unit }]),
    ...(standard === undefined ? [] : [{ label: t('help.fact.default'), text: choiceWords(schema, standard, t) }]),
  ];
}

/** `whole number, 0 or more`; '' if the schema says nothing of it. */
function valueWords(schema: JsonSchema, t: HelpText): string {
  const { type, enum: allowed, items } = schema;
  if (schema['x-input'] === 'duration') return t('help.value.duration');
  if (allowed !== undefined) return t('help.value.oneOf', { values: allowed.map(shownAsText).join(', ') });
  if (schema['x-resource'] !== undefined) {
    return t('help.value.resource', { kind: schema['x-resource'].split(':').at(-1)?.replaceAll('_', ' ') ?? '' });
  }
  switch (type) {
    case 'boolean': {
      const [off, on] = schema['x-words'] ?? [t('form.no'), t('form.yes')];
      return t('help.value.boolean', { off, on });
    }
    case 'integer':
      return [t('help.value.whole'), rangeWords(schema, t)].filter(Boolean).join(', ');
    case 'number':
      return [t('help.value.number'), rangeWords(schema, t)].filter(Boolean).join(', ');
    case 'string':
      return t(schema['x-input'] === 'pin' ? 'help.value.pin' : 'help.value.text');
    case 'array': {
      const item = items === undefined || items.type === 'object' ? '' : valueWords(items, t);
      return item === '' ? t('help.value.list') : t('help.value.listOf', { item });
    }
    case 'object':
      return t('help.value.object');
    default:
      return '';
  }
}

const shown = (limit: number): string => formatNumber(limit, 6);

/** `0 to 1`, `0 or more`, `more than 0, at most 60`; '' without a limit. */
function rangeWords({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema, t: HelpText): string {
  if (minimum !== undefined && maximum !== undefined)
    return t('help.range.both', { min: shown(minimum), max: shown(maximum) });
  return [
    ...(minimum === undefined ? [] : [t('help.range.min', { min: shown(minimum) })]),
    ...(exclusiveMinimum === undefined ? [] : [t('help.range.above', { min: shown(exclusiveMinimum) })]),
    ...(maximum === undefined ? [] : [t('help.range.max', { max: shown(maximum) })]),
    ...(exclusiveMaximum === undefined ? [] : [t('help.range.below', { max: shown(exclusiveMaximum) })]),
  ].join(', ');
}

/** A value as the form shows it: a boolean by its word. */
function choiceWords(schema: JsonSchema, value: unknown, t: HelpText): string {
  if (typeof value !== 'boolean') return shownAsText(value);
  const [off, on] = schema['x-words'] ?? [t('form.no'), t('form.yes')];
  return `${value ? on : off} (${String(value)})`;
}
