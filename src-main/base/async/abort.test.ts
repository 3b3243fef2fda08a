import { describe, expect, it } from 'vitest';
import { onAbort } from './abort.ts';

describe('onAbort', () => {
  it('calls once when the signal aborts, and not when it was forgotten before', () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => called.push('kept'));
    onAbort(controller.signal, () => called.push('forgotten'))();
    controller.abort();
    expect(called).toEqual(['kept']);
  });

  it('calls at once for a signal that has aborted', () => {
    let isCalled = false;
    onAbort(AbortSignal.abort(), () => (isCalled = true));
    expect(isCalled).toBe(true);
  });
});
