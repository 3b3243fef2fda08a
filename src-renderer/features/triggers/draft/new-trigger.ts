import type { EventType } from '../../../../proto/config/triggers/trigger.ts';

/** A new event of a kind with its required keys. @param method the captured method to begin with */
export function newEvent(type: EventType, method = ''): Record<string, unknown> {
  switch (type) {
    case 'part_online':
    case 'part_offline':
      return { type };
    case 'part_data_ingested':
      return { type, data_ingested: { data_types: ['tabular'] } };
    case 'conditional_data_ingested':
      return { type, conditional: { data_capture_method: method } };
  }
}
