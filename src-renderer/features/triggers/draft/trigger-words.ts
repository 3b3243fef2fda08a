import { parseCaptureMethod } from '../../../../proto/config/triggers/capture-method.ts';
import { dataTypes } from '../../../../proto/config/triggers/trigger.ts';
import { fieldName } from '../../../shared/readings/fields.ts';
import type { Text } from '../../../shared/text.ts';
import type { BuilderCondition } from './conditions.ts';
import type { DraftTrigger } from './draft-triggers.ts';

/** What a trigger waits for, in one line. */
export function eventWords({ form }: Pick<DraftTrigger, 'form'>, t: Text): string {
  if (form === undefined) return t('triggers.words.json');
  const { event } = form;
  switch (event.type) {
    case 'part_online':
    case 'part_offline':
      return t(`triggers.words.${event.type}`);
    case 'part_data_ingested': {
      const kinds = dataTypes.filter((type) => event.dataTypes.includes(type));
      if (kinds.length === 0) return t('triggers.words.noData');
      return t('triggers.words.data', { kinds: kinds.map((type) => t(`triggers.dataTypes.${type}`)).join(', ') });
    }
    case 'conditional_data_ingested': {
      const name = parseCaptureMethod(event.method)?.component ?? event.method;
      const [first, ...more] = event.conditions;
      if (name === '') return t('triggers.words.noMethod');
      if (first === undefined) return t('triggers.words.everySync', { name });
      return t('triggers.words.condition', { name, condition: conditionWords(first, t), count: more.length });
    }
  }
}

/** For example `celsius over 50`. */
export function conditionWords({ path, operator, expected }: BuilderCondition, t: Text): string {
  const value = typeof expected === 'string' ? `“${expected}”` : String(expected);
  const field = path.length === 0 ? t('triggers.condition.only') : fieldName(path);
  return `${field} ${t(`triggers.operatorShort.${operator}`)} ${value}`;
}

/** A short form of a value of a reading: `41.2`, `“run”`, `{…}`. */
export function valueWords(value: unknown): string {
  if (typeof value === 'string') return `“${value.length > longestText ? `${value.slice(0, longestText)}…` : value}”`;
  if (Array.isArray(value)) return '[…]';
  return typeof value === 'object' && value !== null ? '{…}' : String(value);
}

const longestText = 40;
