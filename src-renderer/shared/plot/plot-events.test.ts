import { describe, expect, it } from 'vitest';
import { columnsOf, type EventMark } from './plot-events.ts';

const view = { to: 2_000, windowMs: 1_000 };

describe('the events of a plot', () => {
  it('are drawn once per pixel and look, those of the shown time', () => {
    const events: EventMark[] = [
      { at: 999, look: 'done' },
      { at: 1_000, look: 'done' },
      { at: 1_001, look: 'done' },
      { at: 1_500, look: 'wrong' },
      { at: 2_000, look: 'done' },
      { at: 2_001, look: 'done' },
    ];
    expect([...columnsOf(events, 'done', view, 101)]).toEqual([0, 100]);
    expect([...columnsOf(events, 'wrong', view, 101)]).toEqual([50]);
    expect([...columnsOf(events, 'other', view, 101)]).toEqual([]);
  });
});
