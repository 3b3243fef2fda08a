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

/** What became of a trigger so far. */
export interface TriggerRecordsTable {
  part_id: string;
  trigger_name: string;
  /** Events that it was about. */
  evaluated: number;
  /** Of these, those for which its conditions held. */
  fired: number;
  /** JSON: the last evaluations, newest first (`trigger-records.ts`). */
  evaluations: string;
}

/** What one target of a trigger was told, and when. */
export interface TriggerLimitsTable {
  part_id: string;
  trigger_name: string;
  /** Of `target-key.ts`. */
  target_key: string;
  /** When the last event happened that it was told of, milliseconds in a time that only grows. */
  last_at: number;
  queued: number;
  /** Events that came sooner than the trigger allows. */
  dropped: number;
  /** Of these, those since `last_at`. */
  dropped_since: number;
}

/** A notification: to be sent, sent, or given up. */
export interface DeliveriesTable {
  /** Rises in the order in which they were made. */
  number: Generated<number>;
  /** `msg_...`: what receivers know it by. */
  id: string;
  part_id: string;
  /** Null for a test. */
  event_id: number | null;
  trigger_name: string;
  event_type: EventType;
  kind: Notification['type'];
  /** URL or address. */
  target: string;
  target_key: string;
  /** What has a share of the sending of its own: the host of a URL with its port, or `smtp`. */
  lane: string;
  state: 'queued' | 'delivered' | 'dead';
  /** 1 where it was made long after what it tells of. */
  is_late: number;
  is_test: number;
  happened_at: number;
  created_at: number;
  /** JSON (`delivery/stored-request.ts`). */
  request: string;
  /** Tries since it was queued, or queued again. */
  attempts: number;
  /** Milliseconds in a time that only grows; null unless it is queued. */
  next_at: number | null;
  finished_at: number | null;
  /** Why the last try failed; '' where it did not. */
  failure: string;
  /** JSON: what the last try was answered (`delivery/stored-request.ts`); '' for nothing. */
  response: string;
}

/** What requests to a webhook of a part are signed with. They are kept as they are, because they sign. */
export interface WebhookSecretsTable {
  part_id: string;
  target_key: string;
  secret: string;
  made_at: number;
  /** The one before, which signs beside it for a time; '' for none. */
  previous: string;
  previous_until: number;
}
