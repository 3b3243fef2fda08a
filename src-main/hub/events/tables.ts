import type { Generated } from 'kysely';

declare module '../storage/tables.ts' {
  interface Tables {
    events: EventsTable;
    event_consumers: EventConsumersTable;
  }
}

export interface EventsTable {
  /** Rises in the order in which transactions were committed; numbers may be missing. */
  id: Generated<number>;
  /** One of `event-kinds.ts`. */
  kind: string;
  /** What it is about; null where that is not known or none. The thing itself may be gone. */
  organization_id: string | null;
  part_id: string | null;
  time: number;
  /** JSON. */
  payload: string;
}

export interface EventConsumersTable {
  name: string;
  /** Id of the last event that it has handled. */
  position: number;
}
