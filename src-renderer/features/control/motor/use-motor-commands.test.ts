import { createPinia } from 'pinia';
import { createApp, effectScope, ref } from 'vue';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settled } from '../../../link/fake-machine.ts';
import { fleetKey } from '../../../shared/machine/fleet.ts';
import { noFleet } from '../../../shared/machine/fleet.fixture.ts';
import { machineKey, type Machine } from '../../../shared/machine/machine.ts';
import type { ConnectionView } from '../../../shared/machine/machine-view.ts';
import { useStopAll } from '../../../shared/stores/stop-all.ts';
import { useControlSwitch } from '../control-switch.ts';
import { useMotorCommands } from './use-motor-commands.ts';

const left = 'core:component:motor/left';

type Speed = { readonly rpm: number };
type Abortable = { readonly signal: AbortSignal };

/** A machine that records its calls; the test decides when it answers moves and Stop all. */
class SlowMachine {
  readonly asked: string[] = [];
  /** Signals of the moves and speeds that were requested. */
  readonly signals: AbortSignal[] = [];
  stopFailure: Error | undefined;
  acceptsSpeeds = false;
  answerStopAll = (): void => undefined;
  #tell: (view: ConnectionView) => void = () => undefined;

  readonly connection = {
    subscribe: (onChange: (view: ConnectionView) => void) => {
      this.#tell = onChange;
      this.link('connected');
      return () => undefined;
    },
    retryNow: () => undefined,
  };
  readonly #motor = {
    setPower: ({ powerPct }: { powerPct: number }) => this.#note(`power ${powerPct}`),
    goFor: ({ rpm }: Speed, { signal }: Abortable) => this.#move(`go ${rpm}`, signal),
    setRPM: ({ rpm }: Speed, { signal }: Abortable) =>
      this.acceptsSpeeds ? this.#note(`rpm ${rpm}`) : this.#move(`rpm ${rpm}`, signal),
    stop: () => (this.stopFailure === undefined ? this.#note('stop') : Promise.reject(this.stopFailure)),
  };

  resource = () => this.#motor;
  onSessionExpired = () => () => undefined;

  stopAll(): Promise<void> {
    this.asked.push('stop all');
    return new Promise((resolve) => (this.answerStopAll = resolve));
  }

  link(kind: 'connected' | 'waiting'): void {
    this.#tell({ kind, reason: '', nextTryAt: 0 });
  }

  #note(what: string): Promise<void> {
    this.asked.push(what);
    return Promise.resolve();
  }

  #move(what: string, signal: AbortSignal): Promise<void> {
    this.asked.push(what);
    this.signals.push(signal);
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))));
  }
}

function bench() {
  const machine = new SlowMachine();
  const app = createApp({});
  app.provide(fleetKey, noFleet);
  app.provide(machineKey, machine as unknown as Machine);
  app.use(createPinia());
  return app.runWithContext(() => {
    const control = useControlSwitch();
    control.switchOn();
    const commands = effectScope(true).run(() => useMotorCommands(left, ref(true)));
    if (commands === undefined) throw new Error('the scope has ended');
    return { machine, control, commands, stopAll: useStopAll() };
  });
}

beforeEach(() => {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', new EventTarget());
  // onBeforeUnmount warns outside of a component.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('the commands of a motor', () => {
  it('stop a held motor at once, though Stop all still waits for another resource', async () => {
    const { machine, commands, stopAll } = bench();
    void stopAll.run();
    await settled();
    commands.press('pointer', 0.3);
    await settled();
    commands.release('pointer');
    await settled();
    expect(machine.asked).toEqual(['stop all', 'power 0.3', 'stop']);
    machine.answerStopAll();
  });

  it('abort every unanswered move when the motor is stopped, also one that was replaced', async () => {
    const { machine, commands } = bench();
    void commands.move({ kind: 'for', rpm: 10, revolutions: 1 }, 0);
    void commands.move({ kind: 'speed', rpm: 20 }, 0);
    await settled();
    expect(machine.signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    commands.stop();
    await settled();
    expect(machine.signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(machine.asked.at(-1)).toBe('stop');
    expect(commands.command.value?.phase).toBe('ended');
  });

  it('report a failed stop as a stop, until a later stop succeeds', async () => {
    const { machine, control, commands } = bench();
    void commands.move({ kind: 'for', rpm: 10, revolutions: 1 }, 0);
    machine.stopFailure = new Error('the pin is gone');
    control.switchOff('user');
    await settled();
    expect(commands.command.value).toMatchObject({
      action: { kind: 'stop' },
      phase: 'failed',
      reason: 'the pin is gone',
    });
    expect(control.stopFailure).toEqual({ name: left, reason: 'the pin is gone' });
    machine.stopFailure = undefined;
    commands.stop();
    await settled();
    expect(commands.command.value).toMatchObject({ action: { kind: 'stop' }, phase: 'done' });
    expect(control.stopFailure).toBeUndefined();
  });

  it('end a speed where the motor is seen to stand still, and stop it all the same', async () => {
    const { machine, control, commands } = bench();
    machine.acceptsSpeeds = true;
    await commands.move({ kind: 'speed', rpm: 20 }, 0);
    const acceptedAt = commands.command.value?.acceptedAt ?? 0;
    commands.noteStandstill(acceptedAt + 100);
    expect(commands.command.value?.phase).toBe('accepted');
    commands.noteStandstill(acceptedAt + 2_000);
    expect(commands.command.value?.phase).toBe('ended');
    control.switchOff('user');
    await settled();
    expect(machine.asked).toEqual(['rpm 20', 'stop']);
  });
});
