import type { Generated } from 'kysely';

declare module '../storage/tables.ts' {
  interface Tables {
    events: EventsTable;
    event_consumers: EventConsumersTable;
  }
}

export interface EventsTable {
  /** Goes up in the order of commits; may have gaps. */
  id: Generated<number>;
  /** One of `event-kinds.ts`. */
  kind: string;
  /** The subject of the event; null if there is none or it is unknown. It may have been deleted. */
  organization_id: string | null;
  part_id: string | null;
  time: number;
  /** JSON. */
  payload: string;
}

export interface EventConsumersTable {
  name: string;
  /** Id of the last event that the consumer has handled. */
  position: number;
}
