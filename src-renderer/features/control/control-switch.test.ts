import { createPinia } from 'pinia';
import { createApp, nextTick } from 'vue';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fleetKey } from '../../shared/machine/fleet.ts';
import { noFleet } from '../../shared/machine/fleet.fixture.ts';
import { machineKey, type Machine } from '../../shared/machine/machine.ts';
import type { ConnectionView } from '../../shared/machine/machine-view.ts';
import { useStopAll } from '../../shared/stores/stop-all.ts';
import { useControlSwitch } from './control-switch.ts';

const left = 'core:component:motor/left';

function bench() {
  let tell: (view: ConnectionView) => void = () => undefined;
  let expire = (): void => undefined;
  const machine = {
    connection: {
      subscribe: (onChange: (view: ConnectionView) => void) => {
        tell = onChange;
        tell({ kind: 'connected', reason: '', nextTryAt: 0 });
        return () => undefined;
      },
    },
    onSessionExpired: (listener: () => void) => {
      expire = listener;
      return () => undefined;
    },
    stopAll: () => Promise.resolve(),
  };
  const app = createApp({});
  app.provide(fleetKey, noFleet);
  app.provide(machineKey, machine as unknown as Machine);
  app.use(createPinia());
  const [control, stopAll] = app.runWithContext(() => [useControlSwitch(), useStopAll()] as const);
  control.switchOn();
  const stop = vi.fn(() => Promise.resolve());
  const release = vi.fn();
  control.noteMoved(left, stop);
  control.onRelease(release);
  const link = (kind: ConnectionView['kind']): void => tell({ kind, reason: '', nextTryAt: 0 });
  return { control, stopAll, stop, release, link, expire: () => expire() };
}

let page: EventTarget & { visibilityState?: string };
beforeEach(() => {
  vi.useFakeTimers();
  page = new EventTarget();
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', new EventTarget());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the control switch', () => {
  type Bench = ReturnType<typeof bench>;
  it.each<[string, (bench: Bench) => void]>([
    ['user', ({ control }) => control.switchOff('user')],
    ['left', ({ control }) => control.switchOff('left')],
    ['hidden', () => void page.dispatchEvent(new Event('visibilitychange'))],
    ['hidden', () => void window.dispatchEvent(new Event('pagehide'))],
    ['session', ({ expire }) => expire()],
    ['idle', () => void vi.advanceTimersByTime(5 * 60_000)],
    ['link', ({ link }) => link('waiting')],
  ])('goes off by %s, and everything that was moved is stopped once', async (reason, happen) => {
    const all = bench();
    page.visibilityState = 'hidden';
    happen(all);
    await nextTick();
    expect([all.control.isOn, all.control.offReason]).toEqual([false, reason]);
    expect([all.stop.mock.calls.length, all.release.mock.calls.length]).toEqual([1, 1]);
  });

  it('stays on while the person is active', () => {
    const { control, stop } = bench();
    vi.advanceTimersByTime(4 * 60_000);
    control.noteActivity();
    vi.advanceTimersByTime(4 * 60_000);
    expect([control.isOn, stop.mock.calls.length]).toEqual([true, 0]);
  });

  it('releases what is held, and stops nothing else, when the window loses the focus', () => {
    const { control, stop, release } = bench();
    window.dispatchEvent(new Event('blur'));
    expect([control.isOn, release.mock.calls.length, stop.mock.calls.length]).toEqual([true, 1, 0]);
  });

  it('stops what was moved from this page with every Stop all', async () => {
    const { control, stopAll, stop } = bench();
    await stopAll.run();
    await nextTick();
    expect([control.isOn, stop.mock.calls.length]).toEqual([true, 1]);
  });

  it('retries a stop that failed with the connection once that is back, and reports no failure', async () => {
    const { control, stop, link } = bench();
    stop.mockRejectedValueOnce(new Error('not connected'));
    link('waiting');
    await vi.advanceTimersByTimeAsync(1);
    expect(control.stopFailure).toBeUndefined();
    link('connected');
    await nextTick();
    expect(stop).toHaveBeenCalledTimes(2);
    expect(control.isOn).toBe(false);
  });

  it('names what could not be stopped until it has been stopped', async () => {
    const { control, stop } = bench();
    stop.mockRejectedValueOnce(new Error('the pin is gone'));
    control.switchOff('user');
    await vi.advanceTimersByTimeAsync(1);
    expect(control.stopFailure).toEqual({ name: left, reason: 'the pin is gone' });
    control.switchOff('user');
    await vi.advanceTimersByTimeAsync(1);
    expect(control.stopFailure).toBeUndefined();
  });

  it('knows what this page moves, until a while after it has stopped', () => {
    const { control } = bench();
    vi.advanceTimersByTime(60_000);
    expect(control.isMovedHere(left, 700)).toBe(true);
    control.noteStopped(left);
    expect(control.isMovedHere(left, 700)).toBe(true);
    vi.advanceTimersByTime(700);
    expect([control.isMovedHere(left, 700), control.isMovedHere('other', 700)]).toEqual([false, false]);
  });

  it('cannot be switched on without a connection', async () => {
    const { control, link } = bench();
    link('waiting');
    await nextTick();
    control.switchOn();
    expect([control.isOn, control.canSwitchOn]).toEqual([false, false]);
  });
});
