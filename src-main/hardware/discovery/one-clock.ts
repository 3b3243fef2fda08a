import { deviceFiles, type DeviceFiles } from './device-files.ts';
import type { PwmChip } from '../hardware-types.ts';
import { saysOneClock } from '../../../proto/config/models/one-clock.ts';

/**
 * Whether all channels of a PWM chip have one clock, and so one frequency. By whatever tells which chip it is: the name of its device
 * (`pca9685`, or `pca9685-pwm` where the device tree has it), its driver, what its node is compatible with.
 */
export function hasOneClock(
  { path, name }: Pick<PwmChip, 'path' | 'name'>,
  files: Pick<DeviceFiles, 'text' | 'target'> = deviceFiles,
): boolean {
  const driver = files.target(`${path}/device/driver`);
  const names = [name, driver.slice(driver.lastIndexOf('/') + 1), files.text(`${path}/device/of_node/compatible`)];
  return names.some(saysOneClock);
}
