import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openHardware } from '../../../native/index.js';
import { adcCounts, pwmRegisters, setAnalog, until } from '../bench.ts';

const hardware = openHardware({ backend: 'linux' });
after(() => hardware.close());

test('a duty cycle lands in the registers of the PWM chip; a closed channel is off', async () => {
  const chip = hardware.pwmChips()[0];
  assert.ok(chip !== undefined && chip.channels >= 16);
  // Emulation may block the event loop for longer than the usual expiry of an output.
  const pwm = hardware.openPwm({ chip: chip.path, channel: 5, expiryMs: 60_000 });
  for (const dutyCycle of [0.25, 0.75, 0.1]) {
    pwm.set(dutyCycle, 200);
    const registers = await pwmRegisters(5);
    assert.ok(Math.abs(registers.dutyCycle - dutyCycle) <= 2 / 4096, `duty cycle ${registers.dutyCycle}`);
  }
  pwm.set(1, 200);
  assert.equal((await pwmRegisters(5)).dutyCycle, 1);
  pwm.set(0.5, 200);
  pwm.close();
  assert.equal((await pwmRegisters(5)).dutyCycle, 0);
});

test('an SPI batch is one system call, and each transfer that lets chip select go a frame of its own', async () => {
  setAnalog(0, 321);
  setAnalog(7, 1023);
  const spi = hardware.openSpi({ device: '/dev/spidev0.0', mode: 0, speedHz: 1_000_000 });
  const before = adcCounts();
  const frame = (channel: number) => ({
    send: Uint8Array.of(0x01, 0x80 | (channel << 4), 0x00),
    isChipSelectReleased: true,
  });
  const answers = await spi.transfer([frame(0), frame(7), frame(0)]);
  const values = answers.map(([, high = 0, low = 0]) => ((high & 3) << 8) | low);
  assert.deepEqual(values, [321, 1023, 321]);
  const counts = adcCounts();
  assert.equal(counts.messages - before.messages, 1);
  assert.equal(counts.transfers - before.transfers, 3);
  spi.close();
});

for (const [device, chip, value] of [
  ['spidev0.0', 'mcp3008', 789],
  ['spidev0.1', 'mcp3208', 3210],
] as const) {
  test(`the sampling thread reads an ${chip}`, async () => {
    setAnalog(1, 0, device);
    setAnalog(3, value, device);
    const rate = { samplesPerSecond: 100 };
    const channels = [1, 3].map((channel) => ({ channel, ...rate }));
    const adc = hardware.openAdc({ chip, device: `/dev/${device}`, channels });
    await until('a sample', () => adc.stats().samples >= 2);
    assert.equal(adc.read(3).value, value);
    assert.equal(adc.read(1).value, 0);
    setAnalog(1, 17, device);
    await until('the new value', () => adc.read(1).value === 17);
    adc.close();
  });
}
