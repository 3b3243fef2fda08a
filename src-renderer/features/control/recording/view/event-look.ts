import type { EventLook } from '../../../../shared/plot/plot-events.ts';
import type { RecordedEvent } from '../file/recording.ts';

/** How an event is drawn. */
export function lookOf({ kind, state }: RecordedEvent): EventLook {
  if (kind === 'command') return 'done';
  if (kind === 'failed' || kind === 'reading') return 'wrong';
  return state === 'failed' ? 'wrong' : 'other';
}
