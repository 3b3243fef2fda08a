import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingReason, openHardware, type AdcChip, type Hardware, type SimWorld } from '../index.js';
import { codeOf } from './code-of.ts';

const device = '/dev/spidev0.0';

describe.skipIf(missingReason() !== undefined)('SPI, I2C and converters', () => {
  let hardware: Hardware;
  let sim: SimWorld;

  beforeEach(() => {
    hardware = openHardware({ backend: 'sim' });
    sim = hardware.sim!;
  });
  afterEach(() => hardware.close());

  async function waitFor(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
  }

  test('a batch is answered in order; the frame is that of the datasheet of the MCP3008', async () => {
    sim.setAdc(device, 1, 0x3a5);
    sim.setAdc(device, 7, 0x001);
    const spi = hardware.openSpi({ device });
    const received = await spi.transfer([
      { send: Uint8Array.of(1, 0x90, 0), isChipSelectReleased: true },
      { send: Uint8Array.of(1, 0xf0, 0) },
    ]);
    expect(received.map((bytes) => [...bytes])).toEqual([
      [0, 3, 0xa5],
      [0, 0, 1],
    ]);
  });

  test('an unplugged device rejects, a closed one too', async () => {
    const spi = hardware.openSpi({ device });
    sim.unplug(device);
    await expect(spi.transfer([{ send: Uint8Array.of(1) }])).rejects.toMatchObject({ code: 'hardware.gone', device });
    spi.close();
    await expect(spi.transfer([{ send: Uint8Array.of(1) }])).rejects.toMatchObject({ code: 'hardware.gone' });
    expect(codeOf(() => hardware.openSpi({ device: '/dev/spidev9.9' }))).toBe('hardware.missing');
  });

  test('I2C reads a register after writing its number; nobody at an address is an error that says so', async () => {
    const bus = hardware.openI2c('/dev/i2c-1');
    expect([...(await bus.transfer(0x48, Uint8Array.of(1), 2))]).toEqual([0x85, 0x83]);
    await expect(bus.transfer(0x20, Uint8Array.of(1), 2)).rejects.toMatchObject({ code: 'hardware.io' });
    await expect(bus.transfer(0x20, new Uint8Array(), 0)).rejects.toMatchObject({ code: 'hardware.invalid' });
    // The kernel's length field has 16 bits: a longer one would be cut off silently.
    await expect(bus.transfer(0x48, new Uint8Array(65_537), 0)).rejects.toMatchObject({ code: 'hardware.invalid' });
  });

  test.each<[AdcChip, string, number, number]>([
    ['mcp3002', '/dev/spidev1.0', 2, 1023],
    ['mcp3004', '/dev/spidev0.0', 4, 1023],
    ['mcp3008', '/dev/spidev0.0', 8, 1023],
    ['mcp3202', '/dev/spidev1.1', 2, 4095],
    ['mcp3204', '/dev/spidev0.1', 4, 4095],
    ['mcp3208', '/dev/spidev0.1', 8, 4095],
    ['ads1115', '/dev/i2c-1', 4, 32767],
  ])('%s reads every channel', async (chip, at, count, max) => {
    const channels = Array.from({ length: count }, (_, channel) => ({ channel, samplesPerSecond: 1 }));
    for (const { channel } of channels) sim.setAdc(at, channel, max - channel * 7);
    const adc = hardware.openAdc({ chip, device: at, channels });
    expect(adc.max).toBe(max);
    for (const { channel } of channels) {
      await waitFor(() => adc.read(channel).samples > 0);
      expect(adc.read(channel).value).toBe(max - channel * 7);
    }
    expect(
      codeOf(() => hardware.openAdc({ chip, device: at, channels: [{ channel: count, samplesPerSecond: 1 }] })),
    ).toBe('hardware.invalid');
  });

  test('the mean is of what was sampled, from the first sample on', async () => {
    sim.setAdc(device, 0, 800);
    const options = { channel: 0, samplesPerSecond: 1000, averageOverMs: 100 };
    const adc = hardware.openAdc({ chip: 'mcp3008', device, channels: [options] });
    await waitFor(() => adc.read(0).samples > 0);
    expect(adc.read(0).value).toBe(800);
    await waitFor(() => adc.read(0).samples === 100);
    expect(adc.read(0).value).toBe(800);
    sim.setAdc(device, 0, 400);
    await waitFor(() => adc.read(0).value < 800);
    await waitFor(() => adc.read(0).value === 400);
  });

  test('fast sampling takes many samples in a call of the kernel', async () => {
    const options = { channel: 0, samplesPerSecond: 5000 };
    const adc = hardware.openAdc({ chip: 'mcp3008', device, channels: [options] });
    await waitFor(() => adc.stats().samples > 1000);
    const { samples, systemCalls } = adc.stats();
    expect(systemCalls / samples).toBeLessThan(0.1);
  });

  test('a device that fails is told with its error, and is read again when it is back', async () => {
    const adc = hardware.openAdc({ chip: 'mcp3008', device, channels: [{ channel: 0, samplesPerSecond: 100 }] });
    await waitFor(() => adc.read(0).samples > 0);
    sim.unplug(device);
    await waitFor(() => adc.stats().errors > 0);
    expect(codeOf(() => adc.read(0))).toBe('hardware.gone');
    expect(() => adc.read(0)).toThrow(/its last sample is \d+ ms old/);
    sim.setAdc(device, 0, 5);
    sim.plug(device);
    await waitFor(() => codeOf(() => adc.read(0)) === '');
    expect(adc.read(0).value).toBe(5);
    adc.close();
    expect(codeOf(() => adc.read(0))).toBe('hardware.gone');
  });

  test('nobody waits for the first sample of a converter that does not answer', async () => {
    const channels = [{ channel: 0, samplesPerSecond: 100 }];
    const adc = hardware.openAdc({ chip: 'ads1115', device: '/dev/i2c-1', address: 0x49, channels });
    expect(adc.stats().samples).toBe(0);
    await waitFor(() => adc.stats().errors > 0);
    expect(codeOf(() => adc.read(0))).toBe('hardware.io');
  });

  test('a converter that hangs is an error once its last sample is too old, and is read when it answers again', async () => {
    sim.setAdc(device, 0, 7);
    const adc = hardware.openAdc({ chip: 'mcp3008', device, channels: [{ channel: 0, samplesPerSecond: 100 }] });
    await waitFor(() => adc.read(0).samples > 0);
    sim.delayWrites(device, 2_000);
    await waitFor(() => codeOf(() => adc.read(0)) !== '');
    expect(codeOf(() => adc.read(0))).toBe('hardware.io');
    expect(() => adc.read(0)).toThrow(/it has not answered; its last sample is 1\d\d\d ms old/);
    sim.delayWrites(device, 0);
    await waitFor(() => codeOf(() => adc.read(0)) === '');
    expect(adc.read(0).value).toBe(7);
  });

  test('more than a converter can is refused', () => {
    const channels = [{ channel: 0, samplesPerSecond: 1e6 }];
    expect(codeOf(() => hardware.openAdc({ chip: 'mcp3008', device, channels }))).toBe('hardware.invalid');
  });
});
