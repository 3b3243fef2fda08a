import { describe, expect, it } from 'vitest';
import { TestBench } from './bench.fixture.ts';
import { waveValue } from './sensor-fake/build.ts';
import type { Encoder } from '../../apis/encoder.ts';
import type { JsonObject } from '../../apis/resource.ts';
import type { Sensor } from '../../apis/sensor.ts';

describe('fake sensor', () => {
  const build = (attributes: object, bench = new TestBench()) =>
    bench.build<Sensor>('core:component:sensor', 'fake', 'climate', attributes);

  it('gives any JSON as written, nested waves included', async () => {
    const bench = new TestBench();
    const sensor = await build(
      { readings: { text: 'x', deep: { list: [1, { wave: 'ramp', period_ms: 100, min: 10, max: 20 }] }, none: null } },
      bench,
    );
    bench.clock.advance(50);
    expect(await sensor.readings()).toEqual({ text: 'x', deep: { list: [1, 15] }, none: null });
  });

  it('has readings without a configuration, wraps what is no object, and null is no readings', async () => {
    expect(await (await build({})).readings()).toEqual({ a: 1, b: 2, c: 3 });
    expect(await (await build({ readings: 5 })).readings()).toEqual({ value: 5 });
    expect(await (await build({ readings: { wave: 'toggle', period_ms: 1_000 } })).readings()).toEqual({
      value: false,
    });
    expect(await (await build({ readings: null })).readings()).toBeNull();
  });

  it('takes a reading that is called wave as a reading', async () => {
    const readings = { wave: { wave: 'toggle', min: 5, max: 5 }, sea: { wave: 2 } };
    expect(await (await build({ readings })).readings()).toEqual({ wave: 5, sea: { wave: 2 } });
  });

  it('waves: sine, ramp, toggle', () => {
    const shape = { period_ms: 1_000, min: -1, max: 3 } as const;
    expect([0, 250, 500, 750].map((ms) => Math.round(Number(waveValue({ wave: 'sine', ...shape }, ms))))).toEqual([
      1, 3, 1, -1,
    ]);
    expect([0, 250, 999, 1_000].map((ms) => waveValue({ wave: 'ramp', ...shape }, ms))).toEqual([-1, 0, 2.996, -1]);
    expect([0, 499, 500].map((ms) => waveValue({ wave: 'toggle', ...shape }, ms))).toEqual([-1, -1, 3]);
    expect([0, 500].map((ms) => waveValue({ wave: 'toggle', period_ms: 1_000 }, ms))).toEqual([false, true]);
    expect(waveValue({ wave: 'ramp' }, 500)).toBe(0.5);
  });

  it('DoCommand sets, clears, survives a change in place, and refuses nonsense', async () => {
    const sensor = await build({ readings: { t: 1 } });
    await sensor.doCommand?.({ set: { t: 2, u: 3 } });
    expect(await sensor.readings()).toEqual({ t: 2, u: 3 });
    await sensor.reconfigure?.({ readings: { t: 9, v: 8 } });
    expect(await sensor.readings()).toEqual({ t: 2, u: 3, v: 8 });
    await sensor.doCommand?.({ clear: ['t'] });
    expect(await sensor.readings()).toEqual({ t: 9, u: 3, v: 8 });
    await sensor.doCommand?.({ clear: true });
    expect(await sensor.readings()).toEqual({ t: 9, v: 8 });
    await sensor.doCommand?.(JSON.parse('{"set": {"__proto__": {"w": 1}}}') as JsonObject);
    expect(JSON.stringify(await sensor.readings())).toBe('{"t":9,"v":8,"__proto__":{"w":1}}');
    const nonsense: JsonObject[] = [{}, { set: 1 }, { set: { t: { wave: 'square' } } }];
    for (const command of nonsense) {
      await expect(sensor.doCommand?.(command)).rejects.toMatchObject({ code: 'call.bad_argument' });
    }
  });
});

describe('fake encoder', () => {
  it('counts at its speed, in ticks, and in degrees where it knows a rotation', async () => {
    const bench = new TestBench();
    const encoder = await bench.build<Encoder>('core:component:encoder', 'fake', 'e', {
      ticks_per_sec: 10,
      ticks_per_rotation: 40,
    });
    bench.clock.advance(2_000);
    expect(await encoder.position(undefined)).toEqual({ value: 20, type: 'ticks' });
    expect(await encoder.position('degrees')).toEqual({ value: 180, type: 'degrees' });
    await encoder.doCommand?.({ ticks_per_sec: -10 });
    bench.clock.advance(1_000);
    expect((await encoder.position('ticks')).value).toBe(10);
    await encoder.resetPosition();
    expect((await encoder.position('ticks')).value).toBe(0);
  });

  it('cannot tell degrees without a rotation', async () => {
    const encoder = await new TestBench().build<Encoder>('core:component:encoder', 'fake', 'e', {});
    await expect(encoder.position('degrees')).rejects.toMatchObject({ code: 'call.unimplemented' });
  });
});

describe('fake generic', () => {
  it('answers a command with itself, as component and as service', async () => {
    for (const api of ['core:component:generic', 'core:service:generic']) {
      const generic = await new TestBench().build(api, 'fake', 'g', { anything: [1] });
      expect(await generic.doCommand?.({ hello: ['world'] })).toEqual({ hello: ['world'] });
    }
  });
});
