import { describe, expect, it } from 'vitest';
import { PlanChange_Kind, Plan } from '../../../proto/gen/core/config/v1/config.ts';
import { Resource_State, WatchResponse } from '../../../proto/gen/core/status/v1/status.ts';
import { planFrom, statusFrom } from './from-proto.ts';

describe('messages in the words of the page', () => {
  it('splits a plan into resources, modules and settings, and leaves out what stays', () => {
    const plan = Plan.fromPartial({
      changes: [
        { kind: PlanChange_Kind.CHANGE_IN_PLACE, subject: 'core:component:motor/left', reason: 'max_rpm 100 -> 120' },
        { kind: PlanChange_Kind.UNCHANGED, subject: 'core:component:board/bench' },
        { kind: PlanChange_Kind.REBUILD, subject: 'module/acme', reason: 'env' },
        { kind: PlanChange_Kind.CHANGE_IN_PLACE, subject: 'log', reason: 'one pattern' },
      ],
      restartedModules: ['acme', 'other'],
      summary: 'left: max_rpm 100 to 120',
    });
    expect(planFrom(plan)).toEqual({
      resources: [
        { kind: 'change', name: 'core:component:motor/left', reason: 'max_rpm 100 -> 120', stopsMotion: false },
      ],
      modules: [
        { kind: 'restart', name: 'acme', reason: 'env' },
        { kind: 'restart', name: 'other', reason: '' },
      ],
      settings: [{ key: 'log', reason: 'one pattern', needsRestart: false }],
      summary: 'left: max_rpm 100 to 120',
      problems: [],
    });
  });

  it('reads a snapshot, and ignores an event of a newer server', () => {
    const since = new Date(5000);
    const message = WatchResponse.fromPartial({
      event: {
        $case: 'snapshot',
        value: {
          machine: { name: 'bench', state: 2 },
          resources: [{ name: 'core:component:motor/left', state: Resource_State.FAILED, reason: 'no pin', since }],
        },
      },
    });
    expect(statusFrom(message)).toMatchObject({
      kind: 'snapshot',
      machine: { name: 'bench', state: 'running' },
      resources: [{ name: 'left', state: 'failed', reason: 'no pin', since: 5000 }],
    });
    expect(statusFrom(WatchResponse.fromPartial({}))).toBeUndefined();
  });
});
