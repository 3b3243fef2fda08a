import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { MaintenanceGate, READ_MS, type MaintenanceGateOptions } from './maintenance-gate.ts';

const window = { sensorName: 'core:component:sensor/door', allowedKey: 'closed' };

function gateWith(readSensor: MaintenanceGateOptions['readSensor'], clock = new ManualClock()): MaintenanceGate {
  return new MaintenanceGate({ clock, readSensor });
}

const answering = (readings: Readonly<Record<string, unknown>>): MaintenanceGate =>
  gateWith(() => Promise.resolve(readings));

describe('the maintenance gate', () => {
  it('is open without a window, and asks nobody then', async () => {
    const gate = gateWith(() => Promise.reject(new Error('asked')));
    expect(await gate.ask(undefined)).toEqual({ isAllowed: true });
  });

  it('asks for the sensor by its full name, with the time it has', async () => {
    const asked: unknown[] = [];
    const gate = gateWith((...request) => {
      asked.push(request);
      return Promise.resolve({ closed: true });
    });
    expect(await gate.ask(window)).toEqual({ isAllowed: true });
    expect(asked).toEqual([['core:component:sensor/door', 5_000]]);
  });

  it.each([
    [{ closed: false }, 'sensor door: closed is false'],
    [{ closed: 'true' }, 'sensor door: closed is "true", neither true nor false'],
    [{ closed: 1 }, 'sensor door: closed is 1, neither true nor false'],
    [{ closed: null }, 'sensor door: closed is null, neither true nor false'],
    [{ open: true }, 'sensor door: it has no reading "closed" (it has open)'],
    [{}, 'sensor door: it has no reading "closed" (it has none)'],
  ])('%j does not allow it, and says why', async (readings, reason) => {
    expect(await answering(readings).ask(window)).toEqual({ isAllowed: false, reason });
  });

  it('does not take what every object has for a reading', async () => {
    const gate = answering({});
    expect(await gate.ask({ ...window, allowedKey: 'constructor' })).toMatchObject({ isAllowed: false });
  });

  it('only the boolean true allows it, whatever else is read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom('closed', 'open', 'Closed'), fc.jsonValue()), async (readings) => {
        const { isAllowed } = await answering(readings).ask(window);
        expect(isAllowed).toBe(Object.hasOwn(readings, 'closed') && readings.closed === true);
      }),
    );
  });

  it('a sensor that fails does not allow it, in the words of its failure', async () => {
    const gate = gateWith(() => Promise.reject(new ArmatureError('hardware.gone', 'the cable of door is out.')));
    expect(await gate.ask(window)).toEqual({ isAllowed: false, reason: 'sensor door: the cable of door is out' });
  });

  it('does not allow it where the sensor does not answer in 5 s, and takes no later answer', async () => {
    const clock = new ManualClock();
    let answer: (readings: Record<string, unknown>) => void = () => undefined;
    const gate = gateWith(() => new Promise((resolve) => (answer = resolve)), clock);
    const permission = gate.ask(window);
    clock.advance(READ_MS);
    answer({ closed: true });
    expect(await permission).toEqual({ isAllowed: false, reason: 'sensor door: it did not answer within 5 s' });
  });
});
