import { describe, expect, it } from 'vitest';
import { shallowRef } from 'vue';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { ApplyOutcome, ConfigDocument } from '../../../shared/machine/machine-view.ts';
import { useWaitingFlow } from './waiting-flow.ts';

const plan = { resources: [], modules: [], settings: [], summary: '', problems: [] };
const documentOf = (isWaiting: boolean): ConfigDocument => ({
  text: 'new',
  revision: 'r2',
  source: 'file',
  path: '',
  isReadOnly: false,
  result: {
    outcome: isWaiting ? 'deferred' : 'applied',
    revision: 'r2',
    message: '',
    at: 0,
    trial: undefined,
    deferred: isWaiting ? { plan, reason: 'sensor door: closed is false', since: 0, runningText: 'old' } : undefined,
    returnedText: '',
    unready: [],
  },
});

function begin(answers: { applyNow?: () => Promise<void>; apply?: () => Promise<ApplyOutcome> }) {
  const calls: unknown[] = [];
  const config = {
    applyNow: (...request: unknown[]) => {
      calls.push(request);
      return answers.applyNow?.() ?? Promise.resolve();
    },
    apply: (...request: unknown[]) => {
      calls.push(request);
      return answers.apply?.() ?? Promise.resolve<ApplyOutcome>({ kind: 'applied', revision: 'r1' });
    },
  };
  const document = shallowRef<ConfigDocument | undefined>(documentOf(true));
  return { calls, document, flow: useWaitingFlow({ config } as unknown as Machine, document) };
}

describe('a text that waits', () => {
  it('is applied now by its revision', async () => {
    const { calls, flow } = begin({});
    await flow.applyWaiting();
    expect(calls).toEqual([['r2']]);
    expect([flow.waitFailure.value, flow.isEndingWait.value]).toEqual(['', false]);
  });

  it('is discarded by applying the running text again, without a trial', async () => {
    const { calls, flow } = begin({});
    await flow.discardWaiting();
    expect(calls).toEqual([['old', 'r2', 0]]);
  });

  it('gives the reason of a failure, but none if the wait is over anyway', async () => {
    const denied = begin({ applyNow: () => Promise.reject(new Error('You may not.')) });
    await denied.flow.applyWaiting();
    expect(denied.flow.waitFailure.value).toBe('You may not.');
    const late = begin({
      applyNow: () => {
        late.document.value = documentOf(false);
        return Promise.reject(new Error('It does not wait.'));
      },
    });
    await late.flow.applyWaiting();
    expect(late.flow.waitFailure.value).toBe('');
    const unwritable = begin({ apply: () => Promise.resolve({ kind: 'failed', reason: 'The file is read-only.' }) });
    await unwritable.flow.discardWaiting();
    expect(unwritable.flow.waitFailure.value).toBe('The file is read-only.');
  });
});
