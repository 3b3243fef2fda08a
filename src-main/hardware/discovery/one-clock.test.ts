import { describe, expect, it } from 'vitest';
import { filesOf } from './device-files.fixture.ts';
import { hasOneClock } from './one-clock.ts';

const path = '/sys/class/pwm/pwmchip0';

describe('a PWM chip with one clock for all channels', () => {
  it('is known by the name that its driver or the device tree gives the device', () => {
    for (const name of ['pca9685', 'pca9685-pwm', 'PCA9685']) {
      expect(hasOneClock({ path, name }, filesOf({})), name).toBe(true);
    }
  });

  it('is known by its driver, or by what its node is compatible with, where its name says nothing', () => {
    const told: readonly Readonly<Record<string, string>>[] = [
      { [`${path}/device/driver`]: '/sys/bus/i2c/drivers/pca9685-pwm' },
      { [`${path}/device/of_node/compatible`]: 'acme,sixteen\0nxp,pca9685-pwm\0' },
    ];
    for (const texts of told) expect(hasOneClock({ path, name: 'INT3492:00' }, filesOf(texts))).toBe(true);
  });

  it('is no other chip', () => {
    const texts = {
      [`${path}/device/driver`]: '/sys/bus/platform/drivers/pwm-bcm2835',
      [`${path}/device/of_node/compatible`]: 'brcm,bcm2835-pwm\0',
    };
    expect(hasOneClock({ path, name: '' }, filesOf(texts))).toBe(false);
    expect(hasOneClock({ path, name: '' }, filesOf({}))).toBe(false);
  });
});
