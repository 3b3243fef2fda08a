import { AttachedDevices } from './attached-devices.ts';
import type { GpioChip, Hardware, PwmChip } from '../../../hardware/hardware-types.ts';

export type GpioChips = AttachedDevices<GpioChip>;
export type PwmChips = AttachedDevices<PwmChip>;

/** GPIO chips, found by path, name (`gpiochip0`), id, or label. */
export function gpioChipsOf(hardware: Pick<Hardware, 'gpioChips'>): GpioChips {
  return new AttachedDevices({
    kind: 'GPIO chip',
    list: () => hardware.gpioChips(),
    namesOf: ({ name }) => [name],
    isMeant: ({ label }, reference) => label === reference,
    label: ({ label }) => (label === '' ? 'may not be opened' : label),
  });
}

/**
 * PWM chips, found by path, name (`pwmchip0`), id, the name given by the driver (`pca9685`), or a part of the device's
 * path (`3f20c000.pwm`).
 */
export function pwmChipsOf(hardware: Pick<Hardware, 'pwmChips'>): PwmChips {
  return new AttachedDevices({
    kind: 'PWM chip',
    list: () => hardware.pwmChips(),
    namesOf: ({ path }) => [path.slice(path.lastIndexOf('/') + 1)],
    // With a device tree the name is `pca9685-pwm`, elsewhere `pca9685`.
    isMeant: ({ id, name }, reference) => id.includes(reference) || name === reference || name === `${reference}-pwm`,
    label: ({ id, name, channels }) => `${name === '' ? '' : `${name}, `}${channels} channels, ${id}`,
  });
}
