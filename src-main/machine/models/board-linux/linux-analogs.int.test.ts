import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chip0, eventually, failureOf, SimBench, hardwareIsMissing } from './testing/sim-bench.ts';
import type { Sensor } from '../../../apis/sensor.ts';
import { systemClock } from '../../../base/clock.ts';
import type { LinuxAnalogAttributes } from './attributes.ts';

const spi = '/dev/spidev0.0';
const pot: LinuxAnalogAttributes = { name: 'pot', pin: '2', spi_bus: '0', chip_select: '0' };

describe.skipIf(hardwareIsMissing)('analogs of a linux board', () => {
  let bench: SimBench;
  beforeEach(async () => {
    bench = await SimBench.open(systemClock);
  });
  afterEach(() => bench.close());

  it('read raw values of each converter, from 0 to what it has', async () => {
    const board = await bench.linux({
      analogs: [
        pot,
        { ...pot, name: 'fine', chip: 'mcp3208', chip_select: '1', pin: '7' },
        { ...pot, name: 'volts', chip: 'ads1115', spi_bus: '1', chip_select: '0x48', pin: '3' },
      ],
    });
    bench.sim.setAdc(spi, 2, 600);
    bench.sim.setAdc('/dev/spidev0.1', 7, 4_095);
    bench.sim.setAdc('/dev/i2c-1', 3, 12_345);
    await eventually(async () => (await board.readAnalog('pot')).value === 600);
    expect(await board.readAnalog('pot')).toEqual({ value: 600, min: 0, max: 1_023, step: 1 });
    await eventually(async () => (await board.readAnalog('fine')).value === 4_095);
    expect((await board.readAnalog('fine')).max).toBe(4_095);
    await eventually(async () => (await board.readAnalog('volts')).value === 12_345);
    expect((await board.readAnalog('volts')).max).toBe(32_767);
  });

  it('have a value at the first read: it waits for the first sample', async () => {
    bench.sim.setAdc(spi, 2, 77);
    const board = await bench.linux({ analogs: [{ ...pot, samples_per_sec: 1 }] });
    expect((await board.readAnalog('pot')).value).toBe(77);
  });

  it('average over their time, and only what was sampled', async () => {
    bench.sim.setAdc(spi, 2, 1_000);
    const board = await bench.linux({ analogs: [{ ...pot, samples_per_sec: 1_000, average_over_ms: 60_000 }] });
    expect((await board.readAnalog('pot')).value).toBe(1_000);
    bench.sim.setAdc(spi, 2, 0);
    await eventually(async () => (await board.readAnalog('pot')).value < 1_000);
    expect((await board.readAnalog('pot')).value).toBeGreaterThan(0);
  });

  it('that nobody configured, on a missing bus, or of a silent converter say so; the others are read', async () => {
    const board = await bench.linux({
      analogs: [
        pot,
        { ...pot, name: 'nowhere', spi_bus: '7' },
        { ...pot, name: 'silent', chip: 'ads1115', spi_bus: '1', chip_select: '0x49', pin: '0' },
      ],
    });
    expect(await failureOf(() => board.readAnalog('pott'))).toBe(
      'call.not_found: Board "b" has no analog "pott"; it has "pot", "nowhere", "silent".',
    );
    expect(await failureOf(() => board.readAnalog('nowhere'))).toMatch(
      /^hardware.missing: Board "b", analog "nowhere": \/dev\/spidev7.0/,
    );
    expect(await failureOf(() => board.readAnalog('silent'))).toMatch(
      /^hardware.failed: Board "b", analog "silent": \/dev\/i2c-1: .*address/,
    );
    expect((await board.readAnalog('pot')).value).toBe(0);
    expect(bench.log).toEqual([expect.stringMatching(/^warn Board "b", analog "nowhere": \/dev\/spidev7.0/)]);
    expect((await board.status())['failures']).toHaveLength(1);
    expect(await failureOf(() => board.writeAnalog('pot'))).toMatch(/^call.unimplemented/);
  });

  it('whose bus is unplugged say how old the last value is, and are read again when it is back', async () => {
    const board = await bench.linux({ analogs: [pot] });
    await board.gpioPin('4').set(true);
    expect((await board.readAnalog('pot')).value).toBe(0);
    bench.sim.unplug(spi);
    await eventually(async () => (await failureOf(() => board.readAnalog('pot'))).startsWith('hardware.'));
    expect(bench.log.join('\n')).toMatch(/analog "pot": \/dev\/spidev0.0: .*its last sample is \d+ ms old/);
    expect(bench.sim.probe(chip0, 4).isHigh).toBe(true);
    bench.sim.setAdc(spi, 2, 9);
    bench.sim.plug(spi);
    await eventually(async () => (await failureOf(() => board.readAnalog('pot'))) === 'no failure');
    expect((await board.readAnalog('pot')).value).toBe(9);
  });

  it('are changed in place: what is driven goes on', async () => {
    const board = await bench.linux({ analogs: [pot] });
    await board.gpioPin('4').setPwm(0.5);
    await board.reconfigure({ chip: 'sim-0', analogs: [{ ...pot, name: 'knob', pin: '3' }] });
    bench.sim.setAdc(spi, 3, 5);
    await eventually(async () => (await board.readAnalog('knob')).value === 5);
    expect(await failureOf(() => board.readAnalog('pot'))).toMatch(/^call.not_found/);
    expect(await board.gpioPin('4').pwm()).toBe(0.5);
    expect(bench.sim.probe(chip0, 4).isDriven).toBe(true);
  });

  it('are scaled by an analog sensor', async () => {
    bench.sim.setAdc(spi, 2, 512);
    await bench.linux({ analogs: [pot] });
    const sensor = await bench.build<Sensor>('core:component:sensor', 'analog', 's', {
      board: 'b',
      analog: 'pot',
      scale: 0.5,
      unit: '%',
    });
    expect(await sensor.readings()).toEqual({ value: 256, raw: 512, unit: '%' });
  });
});
