import { eventTypes, type Notification } from '../../../../proto/config/triggers/trigger.ts';
import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import { conditionsOf, type PlacedCondition } from './conditions.ts';

/** An event as the builder shows it. */
export type FormEvent =
  | { readonly type: 'part_online' | 'part_offline' }
  | { readonly type: 'part_data_ingested'; readonly dataTypes: readonly string[] }
  | {
      readonly type: 'conditional_data_ingested';
      /** '' if it is not written. */
      readonly method: string;
      readonly evals: readonly unknown[];
      readonly conditions: readonly PlacedCondition[];
    };

export interface FormTarget {
  readonly type: Notification['type'];
  readonly value: string;
  /** Undefined if it is not written. */
  readonly seconds: number | undefined;
}

/** A trigger as the builder shows it. Missing values are empty. */
export interface TriggerForm {
  readonly event: FormEvent;
  readonly targets: readonly FormTarget[];
}

/** Reads an entry of `triggers` for the builder; undefined if it has something that the builder does not know. */
export function readForm(value: unknown): TriggerForm | undefined {
  if (!isJsonObject(value) || !isTextOrAbsent(value['name'])) return undefined;
  const event = readEvent(value['event']);
  const targets = listOf(value['notifications'])?.map(readTarget);
  if (event === undefined || targets === undefined || targets.includes(undefined)) return undefined;
  return { event, targets: targets.flatMap((target) => target ?? []) };
}

function readEvent(value: unknown): FormEvent | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = eventTypes.find((known) => known === value['type']);
  if (type === undefined) return undefined;
  if (type === 'part_online' || type === 'part_offline') return { type };
  if (type === 'part_data_ingested') {
    const inner = objectOf(value['data_ingested']);
    const dataTypes = inner && listOf(inner['data_types']);
    if (!dataTypes?.every((one) => typeof one === 'string')) return undefined;
    return { type, dataTypes };
  }
  const inner = objectOf(value['conditional']);
  const written = inner && objectOf(inner['conditions']);
  const evals = written && listOf(written['evals']);
  const conditions = evals && conditionsOf(evals);
  const method = inner?.['data_capture_method'] ?? '';
  if (evals === undefined || conditions === undefined || typeof method !== 'string') return undefined;
  return { type, method, evals, conditions };
}

function readTarget(value: unknown): FormTarget | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, value: target = '', seconds_between_notifications: seconds } = value;
  if (type !== 'webhook' && type !== 'email') return undefined;
  if (typeof target !== 'string' || (seconds !== undefined && typeof seconds !== 'number')) return undefined;
  return { type, value: target, seconds };
}

/** The object itself, an empty one for undefined, and undefined for anything else. */
function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined) return {};
  return isJsonObject(value) ? value : undefined;
}

function listOf(value: unknown): readonly unknown[] | undefined {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : undefined;
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
