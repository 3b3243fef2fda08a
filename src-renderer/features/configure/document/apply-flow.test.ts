import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp, effectScope, nextTick, type EffectScope } from 'vue';
import { noFleet } from '../../../shared/machine/fleet.fixture.ts';
import { fleetKey } from '../../../shared/machine/fleet.ts';
import { machineKey, type Machine } from '../../../shared/machine/machine.ts';
import type {
  ApplyOutcome,
  ConfigDocument,
  ConfigPlan,
  ConfigResult,
  ConnectionView,
} from '../../../shared/machine/machine-view.ts';
import { createTexts } from '../../../shared/text.ts';
import { useApplyFlow } from './apply-flow.ts';
import { draftOf, edited } from './config-draft.ts';
import { useDraftEditing } from './editing/draft-editing.ts';

const text = createTexts();
const plan: ConfigPlan = { resources: [], modules: [], settings: [], summary: '', problems: [] };
const removal: ConfigPlan = {
  ...plan,
  resources: [
    { kind: 'remove', name: 'core:component:motor/left', reason: '', fields: [], stopsMotion: false, renamedFrom: '' },
  ],
};

function documentOf(own: string, result?: Partial<ConfigResult>): ConfigDocument {
  return {
    text: own,
    revision: `of ${own}`,
    source: 'file',
    path: '',
    isReadOnly: false,
    result:
      result === undefined
        ? undefined
        : {
            outcome: 'applied',
            revision: '',
            message: '',
            at: 0,
            trial: undefined,
            deferred: undefined,
            returnedText: '',
            unready: [],
            ...result,
          },
  };
}

describe('applying the draft', () => {
  let scope: EffectScope;
  let connect: (view: ConnectionView['kind']) => void = () => undefined;
  /** The machine's answer; a test sets it. */
  let answer: () => Promise<ApplyOutcome>;
  let planned: ConfigPlan;
  const applied: { text: string; baseRevision: string; returnAfterMs: number }[] = [];

  function begin() {
    const machine = {
      connection: {
        subscribe(onChange: (view: ConnectionView) => void) {
          connect = (kind) => onChange({ kind, reason: '', nextTryAt: 0 });
          connect('connected');
          return () => undefined;
        },
        retryNow: () => undefined,
      },
      config: {
        plan: async () => planned,
        endTrial: async () => {
          throw new Error('the machine is busy');
        },
        apply: async (own: string, baseRevision: string, returnAfterMs: number) => {
          applied.push({ text: own, baseRevision, returnAfterMs });
          return answer();
        },
      },
    } as unknown as Machine;
    const pinia = createPinia();
    const app = createApp({});
    scope = effectScope();
    app.use(pinia).provide(machineKey, machine).provide(fleetKey, noFleet);
    setActivePinia(pinia);
    const made = app.runWithContext(() =>
      scope.run(() => {
        const editing = useDraftEditing(text, () => undefined);
        editing.draft.value = edited(draftOf(documentOf('old')), 'new');
        const { flow, observe } = useApplyFlow(machine, editing, {
          refused: () => undefined,
          conflict: () => undefined,
        });
        return { editing, flow, observe };
      }),
    );
    if (made === undefined) throw new Error('the scope has ended');
    return made;
  }

  const lost = async (): Promise<never> => {
    connect('waiting');
    throw new Error('the connection was lost');
  };

  beforeEach(() => {
    vi.useFakeTimers();
    applied.length = 0;
    planned = plan;
    answer = async () => ({ kind: 'applied', revision: 'of new' });
  });
  afterEach(() => {
    scope.stop();
    vi.useRealTimers();
  });

  it('reports "applied" when the machine reports it, not when the call returns', async () => {
    const { flow, observe, editing } = begin();
    await flow.applyDraft();
    expect(applied).toEqual([{ text: 'new', baseRevision: 'of old', returnAfterMs: 30_000 }]);
    expect(editing.hasChanges.value).toBe(false);
    expect(flow.notice.value).toBeUndefined();
    observe(documentOf('new', { outcome: 'applying' }));
    expect(flow.notice.value).toBeUndefined();
    const trial = { endsAt: 5, awaited: [] };
    observe(documentOf('new', { outcome: 'applied-with-failures', trial }));
    expect([flow.notice.value, flow.trial.value]).toEqual([undefined, trial]);
    vi.advanceTimersByTime(1200);
    observe(documentOf('new', { outcome: 'applied' }));
    expect(flow.notice.value).toEqual({ kind: 'applied', ms: 1200 });
  });

  it('reports a text that is stored but not applied as rejected', async () => {
    const { flow, observe } = begin();
    await flow.applyDraft();
    observe(documentOf('new', { outcome: 'rejected', message: 'half-way' }));
    expect(flow.notice.value).toEqual({ kind: 'rejected', reason: 'half-way' });
  });

  it('shows a plan that removes something before anything is done', async () => {
    const { flow } = begin();
    planned = removal;
    await flow.applyDraft();
    expect([applied, flow.review.value?.plan]).toEqual([[], removal]);
    await flow.confirmReview();
    expect(applied).toHaveLength(1);
  });

  it('distinguishes a refusal, which changed nothing, from a missing answer', async () => {
    const { flow } = begin();
    answer = async () => ({ kind: 'failed', reason: 'the disk is full' });
    await flow.applyDraft();
    expect(flow.notice.value).toEqual({ kind: 'unplanned', reason: 'the disk is full' });
    answer = lost;
    await flow.applyDraft();
    expect(flow.notice.value).toEqual({ kind: 'unconfirmed', reason: 'the connection was lost' });
  });

  it.each([
    ['does not have the text', documentOf('old', {}), { kind: 'lost' }],
    ['has it, in force', documentOf('new', {}), { kind: 'applied', ms: 0 }],
    ['has it, on trial', documentOf('new', { trial: { endsAt: 5, awaited: [] } }), undefined],
    ['has another', documentOf('theirs', {}), undefined],
  ])('after the connection broke during apply, finds that the machine %s', async (_what, found, wanted) => {
    const { flow, observe, editing } = begin();
    answer = lost;
    await flow.applyDraft();
    expect(editing.text.value).toBe('new');
    connect('connected');
    observe(found);
    expect(flow.notice.value).toEqual(wanted);
  });

  it('does not take a report without a broken connection for the outcome', async () => {
    const { flow, observe } = begin();
    answer = async () => {
      throw new Error('no answer in time');
    };
    await flow.applyDraft();
    observe(documentOf('old', {}));
    expect(flow.notice.value).toEqual({ kind: 'unconfirmed', reason: 'no answer in time' });
    observe(documentOf('new', {}));
    expect(flow.notice.value?.kind).toBe('applied');
  });

  it('hides why a trial could not be ended when the trial ends', async () => {
    const { flow, observe } = begin();
    await flow.applyDraft();
    observe(documentOf('new', { trial: { endsAt: 5, awaited: [] } }));
    await flow.keepTrial();
    expect(flow.trialFailure.value).toBe('the machine is busy');
    observe(documentOf('new', { trial: { endsAt: 5, awaited: ['core:component:motor/left'] } }));
    expect(flow.trialFailure.value).toBe('the machine is busy');
    observe(documentOf('new', {}));
    expect(flow.trialFailure.value).toBe('');
  });

  it('recognizes its own text when the machine rolls it back, and shows that until it is dismissed', async () => {
    const { flow, observe } = begin();
    await flow.applyDraft();
    observe(documentOf('new', { trial: { endsAt: 5, awaited: [] } }));
    const left = documentOf('old', { outcome: 'returned', revision: 'of new', returnedText: 'new' });
    expect(observe(left)).toBe(true);
    expect(observe(left)).toBe(false);
    expect(flow.returned.value?.returnedText).toBe('new');
    flow.dismissReturned();
    expect(flow.returned.value).toBeUndefined();
  });

  it("shows the rollback of somebody else's text, but does not take it for its own", () => {
    const { flow, observe } = begin();
    expect(observe(documentOf('old', { outcome: 'returned', revision: 'r', returnedText: 'theirs' }))).toBe(false);
    expect(flow.returned.value?.returnedText).toBe('theirs');
  });

  it('ignores an answer that comes after the machine has rolled back', async () => {
    const { flow, observe, editing } = begin();
    let release: (outcome: ApplyOutcome) => void = () => undefined;
    answer = () => new Promise((resolve) => (release = resolve));
    const applying = flow.applyDraft();
    await nextTick();
    await vi.waitFor(() => expect(applied).toHaveLength(1));
    observe(documentOf('new', { outcome: 'applying' }));
    observe(documentOf('old', { outcome: 'returned', revision: 'of new', returnedText: 'new' }));
    release({ kind: 'applied', revision: 'of new' });
    await applying;
    expect(editing.draft.value?.base.text).toBe('old');
    expect(flow.attempt.value).toBeUndefined();
  });
});
