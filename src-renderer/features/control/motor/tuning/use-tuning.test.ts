import { createPinia } from 'pinia';
import { createApp, effectScope } from 'vue';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noFleet } from '../../../../shared/machine/fleet.fixture.ts';
import { fleetKey } from '../../../../shared/machine/fleet.ts';
import { machineKey, type Machine } from '../../../../shared/machine/machine.ts';
import { shortName } from '../../../../shared/machine/machine-view.ts';
import { useControlSwitch } from '../../control-switch.ts';
import { useTuning } from './use-tuning.ts';

const left = 'core:component:motor/left';
const found = { tune: { control_parameters: { p: 1, i: 2, d: 0 }, samples: [] } };
const request = { power: 0.4, maxRevolutions: 3 };

/** A page with one motor; the test gives its responses. */
function bench() {
  const asked: string[] = [];
  let answer: (told: Record<string, unknown>) => void = () => undefined;
  let refuse: (reason: Error) => void = () => undefined;
  const machine = {
    connection: {
      subscribe: (onChange: (view: object) => void) => {
        onChange({ kind: 'connected', reason: '', nextTryAt: 0 });
        return () => undefined;
      },
      retryNow: () => undefined,
    },
    onSessionExpired: () => () => undefined,
    stopAll: () => Promise.resolve(),
    resource: (_definition: object, fullName: string) => ({
      stop: () => {
        asked.push('stop');
        refuse(new Error('stopped'));
        return Promise.resolve();
      },
      doCommand: ({ command }: { command: object }, { signal }: { signal: AbortSignal }) => {
        asked.push(`${shortName(fullName)} ${JSON.stringify(command)}`);
        if ('get_tuning' in command) {
          const result = { get_tuning: { is_running: true, phase: 'step', direction: 1, share: 0.4 } };
          return Promise.resolve({ result });
        }
        return new Promise<{ result: Record<string, unknown> }>((resolve, reject) => {
          answer = (result) => resolve({ result });
          refuse = reject;
          signal.addEventListener('abort', () => reject(new Error('cancelled')));
        });
      },
    }),
  };
  const app = createApp({});
  app.provide(fleetKey, noFleet);
  app.provide(machineKey, machine as unknown as Machine);
  app.use(createPinia());
  return app.runWithContext(() => {
    const control = useControlSwitch();
    control.switchOn();
    const turned = vi.fn();
    const tuning = effectScope(true).run(() => useTuning(left, turned));
    if (tuning === undefined) throw new Error('the scope has ended');
    return { asked, control, tuning, turned, answer: (told: Record<string, unknown>) => answer(told) };
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', new EventTarget());
  // onBeforeUnmount warns outside of a component.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const command = 'left {"tune":{"power_pct":0.4,"max_revolutions":3}}';

describe('tuning from the page', () => {
  it('polls the progress while a measurement runs, and not after', async () => {
    const { asked, tuning, answer, turned } = bench();
    void tuning.start(request);
    expect([asked, tuning.isRunning.value]).toEqual([[command], true]);
    await vi.advanceTimersByTimeAsync(200);
    expect(tuning.progress.value).toEqual({ phase: 'step', direction: 1, share: 0.4 });
    await vi.advanceTimersByTimeAsync(200);
    expect(asked).toEqual([command, 'left {"get_tuning":true}', 'left {"get_tuning":true}']);
    expect(turned).toHaveBeenCalledTimes(3);
    answer(found);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(3);
    expect(tuning.answer.value?.gains).toEqual({ p: 1, i: 2, d: 0 });
    expect([tuning.isRunning.value, tuning.progress.value, tuning.failure.value]).toEqual([false, undefined, '']);
  });

  it('shows the reason when a stop ends the measurement', async () => {
    const { asked, tuning } = bench();
    void tuning.start(request);
    await tuning.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual([command, 'stop']);
    expect([tuning.isRunning.value, tuning.failure.value]).toEqual([false, 'stopped']);
  });

  it('cancels the call and stops the motor when control goes off', async () => {
    const { asked, control, tuning } = bench();
    void tuning.start(request);
    control.switchOff('user');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual([command, 'stop']);
    expect([tuning.isRunning.value, tuning.failure.value]).toEqual([false, 'cancelled']);
  });

  it('sends no stop for a finished measurement when control goes off', async () => {
    const { asked, control, tuning, answer } = bench();
    void tuning.start(request);
    answer(found);
    await vi.advanceTimersByTimeAsync(0);
    control.switchOff('user');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual([command]);
  });
});
