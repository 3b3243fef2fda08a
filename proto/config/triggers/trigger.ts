import type { CaptureMethod } from './capture-method.ts';
import type { Condition } from './conditions.ts';

/** Kinds of uploads that `part_data_ingested` distinguishes; `unspecified` is one whose uploader named none. */
export const dataTypes = ['binary', 'tabular', 'file', 'unspecified'] as const;
export type DataType = (typeof dataTypes)[number];

export const eventTypes = ['part_data_ingested', 'conditional_data_ingested', 'part_online', 'part_offline'] as const;
export type EventType = (typeof eventTypes)[number];

/** What a trigger waits for. */
export type TriggerEvent =
  | { readonly type: 'part_data_ingested'; readonly dataTypes: readonly DataType[] }
  | {
      readonly type: 'conditional_data_ingested';
      readonly method: CaptureMethod;
      /** All of them have to hold; without any, every upload fires. */
      readonly conditions: readonly Condition[];
      /** `conditions` as written, for the request; undefined where there are none. */
      readonly written: unknown;
    }
  | { readonly type: 'part_online' | 'part_offline' };

/** Somebody who is notified. */
export interface Notification {
  readonly type: 'webhook' | 'email';
  /** URL or address. */
  readonly value: string;
  /** Events within this time after the last notification are dropped; 0 is no limit. */
  readonly secondsBetween: number;
}

/** An entry of `triggers` that can be used. */
export interface Trigger {
  readonly name: string;
  readonly event: TriggerEvent;
  /** Those that can be used, at least one. */
  readonly notifications: readonly Notification[];
}

/** Something wrong with `triggers`. */
export interface TriggerProblem {
  /** In the document. */
  readonly pointer: string;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** A plain sentence that begins with the trigger's name. */
  readonly message: string;
  readonly allowed?: readonly string[];
  readonly nearest?: string | undefined;
  /** The key that is needed and not there, in the value at `pointer`. */
  readonly missing?: string;
  /** The key is wrong, and not its value. */
  readonly isAtKey?: boolean;
}

/** An entry of `triggers` as it was read. */
export interface TriggerEntry {
  /** '' where it has none. */
  readonly name: string;
  /** In the document. */
  readonly pointer: string;
  readonly isDisabled: boolean;
  /** Undefined where an error keeps it from being used. */
  readonly trigger: Trigger | undefined;
  readonly problems: readonly TriggerProblem[];
}
