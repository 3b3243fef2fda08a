import { describe, expect, it } from 'vitest';
import type { Principal } from '../../rpc/principal.ts';
import type { ServerCall } from '../../rpc/call.ts';
import { Problem_Severity, Result_Outcome, Source } from '../../../proto/gen/core/config/v1/config.ts';
import type { ApplyOutcome, ApplyRequest, ConfigState } from '../apply/config-state.ts';
import type { Configuration } from '../apply/configuration.ts';
import { configService } from './config-service.ts';
import { cancellableCall, next } from './streaming-call.fixture.ts';

const state: ConfigState = {
  text: '{}',
  revision: 'r1',
  source: 'file',
  path: '/etc/machine.json',
  appliedRevision: 'r1',
  appliedAt: 5,
  problems: [],
  outcome: { kind: 'applied', revision: 'r1', message: 'no changes', at: 5 },
  trial: undefined,
  origin: { author: 'file', note: '', summary: '', subjects: [], restoredFrom: 0, isRollback: false },
  isReadOnly: false,
};

class FakeConfiguration {
  state = state;
  outcome: ApplyOutcome = { kind: 'rejected', problems: [] };
  readonly asked: ApplyRequest[] = [];
  readonly listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  plan(): { plan: undefined; problems: ConfigState['problems'] } {
    return { plan: undefined, problems: this.state.problems };
  }

  async apply(request: ApplyRequest): Promise<ApplyOutcome> {
    this.asked.push(request);
    return this.outcome;
  }

  async endTrial(revision: string, keep: boolean): Promise<string> {
    return keep ? revision : 'r0';
  }

  set(changed: Partial<ConfigState>): void {
    this.state = { ...this.state, ...changed };
    for (const listener of this.listeners) listener();
  }
}

function serve() {
  const configuration = new FakeConfiguration();
  return { configuration, service: configService(configuration as unknown as Configuration) };
}

const callBy = (principal: Principal): ServerCall => ({ principal }) as ServerCall;
const request = { partId: '', text: '{}', baseRevision: 'r1', author: 'Ada', note: 'because' };

describe('core.config.v1.ConfigService', () => {
  it.each([
    ['the key of a caller who has one', { kind: 'api-key', entity: 'key-7' }, 'Ada', 'key-7', 'key-7'],
    ['the user of the computer', { kind: 'user', entity: 'grace' }, 'Ada', 'grace', undefined],
    [
      'how the caller proved itself, whatever it says',
      { kind: 'launch-token', entity: 'launch-token' },
      'Ada',
      'launch-token',
      undefined,
    ],
    ['what its hub says, which has asked', { kind: 'hub', entity: 'hub' }, 'Ada', 'Ada', 'key-9'],
    ['its hub, where that says nothing', { kind: 'hub', entity: 'hub' }, '', 'hub', 'key-9'],
  ] as const)('puts into the history %s', async (_what, principal, author, wanted, authorKeyId) => {
    const { configuration, service } = serve();
    await service.apply?.({ ...request, author, authorKeyId: 'key-9' }, callBy(principal));
    const terms = { text: '{}', baseRevision: 'r1', note: 'because', restoredFrom: 0, returnAfterMs: 0 };
    expect(configuration.asked).toEqual([{ ...terms, author: wanted, authorKeyId }]);
  });

  it('answers each outcome of Apply as one of three', async () => {
    const { configuration, service } = serve();
    const apply = async () => (await service.apply?.(request, callBy({ kind: 'local', entity: 'local' })))?.outcome;
    expect(await apply()).toEqual({ $case: 'rejected', value: { problems: [] } });
    configuration.outcome = { kind: 'conflict', currentRevision: 'r2', currentText: '[]' };
    expect(await apply()).toEqual({ $case: 'conflict', value: { currentRevision: 'r2', currentText: '[]' } });
  });

  it.each([
    ['unset', undefined, 0],
    ['0', { seconds: 0n, nanos: 0 }, 0],
    ['a time', { seconds: 29n, nanos: 500_000_000 }, 29_500],
    ['10 minutes', { seconds: 600n, nanos: 0 }, 600_000],
  ])('takes return_after: %s', async (_what, returnAfter, wanted) => {
    const { configuration, service } = serve();
    await service.apply?.({ ...request, returnAfter }, callBy({ kind: 'local', entity: 'local' }));
    expect(configuration.asked[0]?.returnAfterMs).toBe(wanted);
  });

  it.each([
    ['longer than 10 minutes', { seconds: 600n, nanos: 1_000_000 }, 'return_after is 600.001 s'],
    ['below zero', { seconds: -1n, nanos: 0 }, 'return_after is -1 s'],
  ])('refuses a return_after that is %s, by name', async (_what, returnAfter, wanted) => {
    const { configuration, service } = serve();
    const applying = service.apply?.({ ...request, returnAfter }, callBy({ kind: 'local', entity: 'local' }));
    await expect(applying).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringContaining(wanted) as string,
    });
    expect(configuration.asked).toEqual([]);
  });

  it('ends a trial as asked and answers what is stored then', async () => {
    const { service } = serve();
    const call = callBy({ kind: 'local', entity: 'local' });
    expect(await service.endTrial?.({ partId: '', revision: 'r1', keep: true }, call)).toEqual({ revision: 'r1' });
    expect(await service.endTrial?.({ partId: '', revision: 'r1', keep: false }, call)).toEqual({ revision: 'r0' });
  });

  it('says how long a trial lasts, what it waits for, and what was left', async () => {
    const { configuration, service } = serve();
    const { call, cancel } = cancellableCall();
    configuration.set({ trial: { deadlineAt: 40_000, leftMs: () => 1_500, awaited: ['core:component:motor/left'] } });
    const stream = service.watch?.({ partId: '' }, call)[Symbol.asyncIterator]();
    if (stream === undefined) throw new Error('no watch');
    expect((await next(stream)).result?.trial).toEqual({
      deadline: new Date(40_000),
      left: { seconds: 1n, nanos: 500_000_000 },
      awaited: ['core:component:motor/left'],
    });
    configuration.set({
      trial: undefined,
      outcome: {
        kind: 'rolled-back',
        revision: 'r2',
        message: 'Returned',
        at: 6,
        rolledBackText: '{ }',
        unready: ['a'],
      },
    });
    const { result } = await next(stream);
    expect(result).toMatchObject({
      outcome: Result_Outcome.RETURNED,
      revision: 'r2',
      returnedText: '{ }',
      unready: ['a'],
    });
    expect(result?.trial).toBeUndefined();
    cancel();
  });

  it('answers Plan of a text that cannot be applied with its problems and no changes', async () => {
    const { configuration, service } = serve();
    const problem = { file: '', line: 1, column: 2, pointer: '', severity: 'error', code: 'config.syntax' } as const;
    const sent = { ...problem, severity: Problem_Severity.ERROR, found: '', allowed: [], nearest: '' };
    const wanted = { ...problem, message: '', missing: 'name' };
    configuration.set({ problems: [{ ...problem, message: 'A comma is missing.' }, wanted] });
    const answer = await service.plan?.({ partId: '', text: '{' }, callBy({ kind: 'local', entity: 'local' }));
    expect(answer?.plan).toMatchObject({
      changes: [],
      problems: [
        { ...sent, missing: '' },
        { ...sent, missing: 'name' },
      ],
    });
  });

  it('sends the errors among thousands of problems, in their order, and how many it leaves out', async () => {
    const { configuration, service } = serve();
    const problems = Array.from({ length: 5_000 }, (_, index) => ({
      file: '',
      line: index + 1,
      column: 1,
      pointer: '',
      severity: index % 1_000 === 999 ? ('error' as const) : ('warning' as const),
      code: 'config.any',
      message: '',
    }));
    configuration.set({ problems });
    const answer = await service.plan?.({ partId: '', text: '{' }, callBy({ kind: 'local', entity: 'local' }));
    const sent = answer?.plan?.problems ?? [];
    expect(sent).toHaveLength(1_001);
    expect(sent.filter(({ severity }) => severity === Problem_Severity.ERROR).map(({ line }) => line)).toEqual([
      1_000, 2_000, 3_000, 4_000, 5_000,
    ]);
    expect(sent.at(-1)).toMatchObject({
      code: 'config.more_problems',
      message: expect.stringContaining('4000 more') as string,
    });
  });

  it('begins Watch with the present state, and gives a slow reader the latest alone', async () => {
    const { configuration, service } = serve();
    const { call, cancel } = cancellableCall();
    const stream = service.watch?.({ partId: '' }, call)[Symbol.asyncIterator]();
    if (stream === undefined) throw new Error('no watch');
    expect(await next(stream)).toMatchObject({
      text: '{}',
      source: Source.FILE,
      readOnly: false,
      result: { outcome: Result_Outcome.APPLIED, revision: 'r1' },
    });
    for (const revision of ['r2', 'r3', 'r4']) configuration.set({ revision });
    expect((await next(stream)).revision).toBe('r4');
    configuration.set({ revision: 'r5' });
    expect((await next(stream)).revision).toBe('r5');
    cancel();
    expect(await stream.next()).toMatchObject({ done: true });
    expect(configuration.listeners.size).toBe(0);
  });
});
