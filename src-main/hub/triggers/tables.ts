import type { Generated } from 'kysely';
import type { EventType, Notification } from '../../../proto/config/triggers/trigger.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    trigger_records: TriggerRecordsTable;
    trigger_limits: TriggerLimitsTable;
    deliveries: DeliveriesTable;
    webhook_secrets: WebhookSecretsTable;
  }
}

/** The history of a trigger. */
export interface TriggerRecordsTable {
  part_id: string;
  trigger_name: string;
  /** Number of events that concerned it. */
  evaluated: number;
  /** Number of these for which its conditions held. */
  fired: number;
  /** JSON: the last evaluations, newest first (`trigger-records.ts`). */
  evaluations: string;
}

/** Notifications of one target of a trigger. */
export interface TriggerLimitsTable {
  part_id: string;
  trigger_name: string;
  /** See `target-key.ts`. */
  target_key: string;
  /** When the last event happened for which a notification was queued: milliseconds of a monotonic time. */
  last_at: number;
  /** Number of queued notifications. */
  queued: number;
  /** Number of notifications that were dropped because of a limit. */
  dropped: number;
  /** Number of these since `last_at`. */
  dropped_since: number;
}

/** A notification that is queued, delivered or given up. */
export interface DeliveriesTable {
  /** Increases in order of creation. */
  number: Generated<number>;
  /** `msg_...`, as sent to receivers. */
  id: string;
  part_id: string;
  /** Null for a test. */
  event_id: number | null;
  trigger_name: string;
  event_type: EventType;
  kind: Notification['type'];
  /** URL or e-mail address. */
  target: string;
  target_key: string;
  /** See `delivery/lane.ts`: the host and port of a URL, or `smtp`. */
  lane: string;
  state: 'queued' | 'delivered' | 'dead';
  /** 1 if it was created long after the event. */
  is_late: number;
  is_test: number;
  happened_at: number;
  created_at: number;
  /** JSON (`delivery/stored-request.ts`). */
  request: string;
  /** Number of attempts since it was queued, or queued again. */
  attempts: number;
  /** When the next attempt is due: milliseconds of a monotonic time; null unless queued. */
  next_at: number | null;
  finished_at: number | null;
  /** Why the last attempt failed; '' if it did not. */
  failure: string;
  /** JSON: the answer to the last attempt (`delivery/stored-request.ts`); '' for none. */
  response: string;
}

/** Secrets that sign requests to a webhook of a part. They are stored in clear text, because signing needs them. */
export interface WebhookSecretsTable {
  part_id: string;
  target_key: string;
  secret: string;
  made_at: number;
  /** The previous secret, which also signs for a while; '' for none. */
  previous: string;
  previous_until: number;
}
