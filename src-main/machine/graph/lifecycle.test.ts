import { describe, expect, it } from 'vitest';
import { lifecycleEvents, nextPhase, phases, type LifecycleEvent, type Phase } from './lifecycle.ts';

/** Every pair; undefined means impossible. Repeated here on purpose, so that changing a rule takes two edits. */
const table: Record<Phase, Record<LifecycleEvent, Phase | undefined>> = {
  empty: row('building', '', '', '', '', '', '', '', '', '', ''),
  building: row('', '', '', 'withdrawn', 'overdue', 'live', 'empty', '', '', '', ''),
  withdrawn: row('', '', '', '', 'overdue', 'closing', 'empty', '', '', '', ''),
  overdue: row('', '', '', '', '', 'closing', 'empty', '', '', '', ''),
  live: row('', 'renewing', '', '', '', '', '', 'changing', '', 'closing', ''),
  changing: row('', 'renewing', '', '', '', '', '', '', 'live', 'closing', ''),
  renewing: row('', '', 'recalled', 'withdrawn', 'overdue', 'live', 'empty', '', '', '', ''),
  recalled: row('', '', '', 'withdrawn', 'overdue', 'live', 'live', '', '', '', ''),
  closing: row('', '', '', '', '', '', '', '', '', '', 'empty'),
};

function row(...next: (Phase | '')[]): Record<LifecycleEvent, Phase | undefined> {
  const pairs = lifecycleEvents.map((event, index) => [event, next[index] === '' ? undefined : next[index]]);
  return Object.fromEntries(pairs) as Record<LifecycleEvent, Phase | undefined>;
}

describe('the lifecycle of an instance', () => {
  const pairs = phases.flatMap((phase) => lifecycleEvents.map((event) => [phase, event, table[phase][event]] as const));

  it.each(pairs)('%s on %s: %s', (phase, event, expected) => {
    if (expected === undefined) expect(() => nextPhase(phase, event)).toThrow(`that is ${phase} cannot ${event}`);
    else expect(nextPhase(phase, event)).toBe(expected);
  });

  it('from a build that is under way there is no way to another but through its end', () => {
    const reachable = new Set<Phase>(['building', 'renewing']);
    for (const phase of reachable) {
      for (const event of ['recall', 'withdraw', 'deadline'] as const) {
        const next = table[phase][event];
        if (next !== undefined) reachable.add(next);
      }
    }
    expect([...reachable].sort()).toEqual(['building', 'overdue', 'recalled', 'renewing', 'withdrawn']);
    for (const phase of reachable) {
      for (const event of ['build', 'renew'] as const) expect(() => nextPhase(phase, event)).toThrow();
    }
  });
});
