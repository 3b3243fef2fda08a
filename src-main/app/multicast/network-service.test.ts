import { describe, expect, it } from 'vitest';
import { FoundMachine_Transport, WatchMachinesResponse_State } from '../../../proto/gen/core/network/v1/network.ts';
import { cancellableCall, next } from '../../machine/services/streaming-call.fixture.ts';
import type { FoundMachine } from './machine-cache.ts';
import { networkService, type DiscoveryState } from './network-service.ts';

const { LOOKING, DISABLED, FAILED } = WatchMachinesResponse_State;

class FakeBrowser {
  machines: readonly FoundMachine[] = [];
  readonly listeners = new Set<(machines: readonly FoundMachine[]) => void>();

  watch(listener: (machines: readonly FoundMachine[]) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  find(...machines: readonly FoundMachine[]): void {
    this.machines = machines;
    for (const listener of this.listeners) listener(machines);
  }
}

function watch(finding: DiscoveryState) {
  const { call, cancel } = cancellableCall();
  const stream = networkService(() => Promise.resolve(finding))
    .watchMachines?.({}, call)
    [Symbol.asyncIterator]();
  if (stream === undefined) throw new Error('no watch');
  return { stream, cancel };
}

describe('core.network.v1.NetworkService', () => {
  it('tells of all machines, then of all again whenever that changed, and leaves with its caller', async () => {
    const browser = new FakeBrowser();
    const { stream, cancel } = watch({ kind: 'looking', browser });
    expect(await next(stream)).toEqual({ state: LOOKING, reason: '', machines: [] });
    const arm = { name: 'arm', addresses: ['10.0.0.5'], port: 8080 };
    browser.find({ ...arm, isEncrypted: true });
    // A slow reader gets the latest state, once.
    browser.find({ ...arm, isEncrypted: false }, { ...arm, name: 'leg', isEncrypted: undefined });
    expect(await next(stream)).toEqual({
      state: LOOKING,
      reason: '',
      machines: [
        { ...arm, transport: FoundMachine_Transport.CLEAR },
        { ...arm, name: 'leg', transport: FoundMachine_Transport.UNSPECIFIED },
      ],
    });
    cancel();
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(browser.listeners.size).toBe(0);
  });

  it.each<[string, DiscoveryState, object]>([
    ['is not wanted', { kind: 'disabled' }, { state: DISABLED, reason: '', machines: [] }],
    [
      'cannot be',
      { kind: 'failed', reason: 'the port is taken' },
      { state: FAILED, reason: 'the port is taken', machines: [] },
    ],
  ])('says so where it %s, and stays open: nobody asks again and again', async (_title, finding, expected) => {
    const { stream, cancel } = watch(finding);
    expect(await next(stream)).toEqual(expected);
    const end = stream.next();
    cancel();
    expect(await end).toEqual({ value: undefined, done: true });
  });
});
