import { describe, expect, it } from 'vitest';
import {
  PlanChange_Kind,
  Plan,
  Problem as ProblemMessage,
  Result_Outcome,
  WatchResponse as ConfigWatchResponse,
} from '../../../../proto/gen/core/config/v1/config.ts';
import { documentFrom, planFrom, problemFrom } from './from-proto.ts';

describe('messages as types of the page', () => {
  it('splits a plan into resources, modules and settings, and leaves out what is unchanged', () => {
    const plan = Plan.fromPartial({
      changes: [
        {
          kind: PlanChange_Kind.CHANGE_IN_PLACE,
          subject: 'core:component:motor/left',
          reason: 'max_rpm 100 -> 120',
          fields: ['max_rpm'],
        },
        { kind: PlanChange_Kind.UNCHANGED, subject: 'core:component:board/bench' },
        { kind: PlanChange_Kind.REBUILD, subject: 'module/acme', reason: 'env' },
        { kind: PlanChange_Kind.CHANGE_IN_PLACE, subject: 'log', reason: 'one pattern' },
      ],
      restartedModules: ['acme', 'other'],
      summary: 'left: max_rpm 100 to 120',
    });
    expect(planFrom(plan)).toEqual({
      resources: [
        {
          kind: 'change',
          name: 'core:component:motor/left',
          reason: 'max_rpm 100 -> 120',
          fields: ['max_rpm'],
          stopsMotion: false,
          renamedFrom: '',
        },
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

  it('reads a problem without what it does not have', () => {
    const message = ProblemMessage.fromPartial({
      pointer: '/components/0',
      code: 'config.missing_key',
      missing: 'name',
    });
    const place = { file: '', line: 0, column: 0, pointer: '/components/0' };
    const problem = { ...place, severity: 'error', code: 'config.missing_key', message: '' };
    expect(problemFrom(message)).toEqual({ ...problem, missing: 'name' });
    expect(problemFrom({ ...message, missing: '' })).toEqual(problem);
  });

  it('reads the result of an apply: the end of a trial by the clock of the page, and a rolled back text', () => {
    const awaited = ['core:component:motor/left'];
    const message = ConfigWatchResponse.fromPartial({
      text: '{}',
      result: {
        outcome: Result_Outcome.APPLIED_WITH_FAILURES,
        revision: 'r2',
        trial: { deadline: new Date(5), left: { seconds: 12n, nanos: 500_000_000 }, awaited },
      },
    });
    expect(documentFrom(message, 1_000_000).result).toMatchObject({
      outcome: 'applied-with-failures',
      revision: 'r2',
      trial: { endsAt: 1_012_500, awaited },
    });
    const returned = ConfigWatchResponse.fromPartial({
      result: { outcome: Result_Outcome.RETURNED, returnedText: '{ }', unready: awaited },
    });
    expect(documentFrom(returned, 0).result).toMatchObject({
      outcome: 'returned',
      trial: undefined,
      returnedText: '{ }',
      unready: awaited,
    });
    expect(
      documentFrom(ConfigWatchResponse.fromPartial({ result: { outcome: 99 as Result_Outcome } }), 0).result,
    ).toBeUndefined();
  });
});
