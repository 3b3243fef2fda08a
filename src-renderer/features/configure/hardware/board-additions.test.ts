import { describe, expect, it } from 'vitest';
import { checkLinuxBoard } from '../../../../src-main/machine/models/board-linux/rules.ts';
import {
  linuxBoardSchema,
  type LinuxBoardAttributes,
} from '../../../../src-main/machine/models/board-linux/attributes.ts';
import { fitsSchema } from '../../../../proto/config/schema/fits-schema.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import type { JsonObject } from '../form/fields/form-field.ts';
import {
  stableName,
  withAnalog,
  withChip,
  withInterrupt,
  withPin,
  withPwmPin,
  type Addition,
} from './board-additions.ts';
import { chipOf, hardwareOf, lineOf } from './hardware.fixture.ts';

const hardware = hardwareOf();
const [chip, other] = hardware.gpioChips as readonly [ReturnType<typeof chipOf>, ReturnType<typeof chipOf>];
const pwm = hardware.pwmChips[0]!;
const [spi, , spi1] = hardware.spiDevices as readonly { path: string; label: string; isUsable: boolean }[];

/** Makes the additions one after the other; each result must be a valid board. */
function added(from: JsonObject, ...steps: readonly ((attributes: JsonObject) => Addition | undefined)[]): JsonObject {
  return steps.reduce((attributes, step) => {
    const next = step(attributes)?.attributes ?? attributes;
    expect(fitsSchema(linuxBoardSchema, next as JsonValue)).toBe(true);
    expect(checkLinuxBoard(next as LinuxBoardAttributes)).toEqual([]);
    return next;
  }, from);
}

describe('the name of a chip in a configuration', () => {
  it('is its label, unless another chip may have the same label', () => {
    expect(stableName(hardware, chip)).toBe('chip-0');
    const twins = hardwareOf({ gpioChips: [chipOf(0, { label: 'cp2112_gpio' }), chipOf(1, { label: 'cp2112_gpio' })] });
    expect(twins.gpioChips.map((one) => stableName(twins, one))).toEqual(twins.gpioChips.map(({ id }) => id));
    const usb = chipOf(0, { id: '/sys/devices/pci0000:00/usb1/1-2/1-2:1.0/0003:10C4:EA90.0003' });
    expect(stableName(hardwareOf({ gpioChips: [usb] }), usb)).toBe(usb.id);
    const closed = chipOf(0, { label: '', lines: [], isUsable: false });
    expect(stableName(hardwareOf({ gpioChips: [closed] }), closed)).toBe(closed.id);
  });

  it('is never its path, which another chip may have after the next boot', () => {
    for (const one of hardware.gpioChips) expect(withChip({}, hardware, one).attributes['chip']).not.toContain('/dev/');
  });
});

describe('the addition to a board', () => {
  it('is a pin by chip and number, with the name of the line, after the existing ones', () => {
    const before = { expiry_ms: 300, pins: [{ name: 'own' }] };
    const after = added(
      before,
      (from) => withPin(from, hardware, other, other.lines[2]!),
      (from) => withPin(from, hardware, other, lineOf(7, { name: '' })),
    );
    expect(after).toEqual({
      expiry_ms: 300,
      pins: [
        { name: 'own' },
        { name: 'C1L2', device_name: 'chip-1', line_number: 2 },
        { name: 'line-7', device_name: 'chip-1', line_number: 7 },
      ],
    });
  });

  it('has a unique name if two chips have lines with the same name', () => {
    const same = lineOf(0, { name: 'IO0' });
    const after = added(
      {},
      (from) => withPin(from, hardware, chip, same),
      (from) => withPin(from, hardware, other, same),
    );
    expect(after['pins']).toMatchObject([{ name: 'IO0' }, { name: 'IO0-2', device_name: 'chip-1' }]);
  });

  it('is an interrupt on a new pin, or on the existing pin of the line', () => {
    const after = added(
      {},
      (from) => withInterrupt(from, hardware, chip, chip.lines[0]!),
      (from) => withPin(from, hardware, chip, chip.lines[1]!),
      (from) => ({ ...withInterrupt(from, hardware, chip, chip.lines[1]!) }),
    );
    expect(after).toEqual({
      pins: [
        { name: 'C0L0', device_name: 'chip-0', line_number: 0 },
        { name: 'C0L1', device_name: 'chip-0', line_number: 1 },
      ],
      digital_interrupts: [
        { name: 'C0L0', pin: 'C0L0' },
        { name: 'C0L1', pin: 'C0L1' },
      ],
    });
  });

  it('is the next free channel of PWM and of converters, until there is none', () => {
    const after = added(
      {},
      (from) => withPwmPin(from, pwm),
      (from) => withPwmPin(from, pwm),
      (from) => withPwmPin(from, pwm),
      (from) => withAnalog(from, spi!, 'spi'),
      (from) => withAnalog(from, spi!, 'spi'),
      (from) => withAnalog(from, spi1!, 'spi'),
      (from) => withAnalog(from, hardware.i2cBuses[0]!, 'i2c'),
    );
    expect(after['pins']).toEqual([
      { name: 'pwm-0', pwm_chip_sysfs_dir: pwm.id, pwm_id: 0 },
      { name: 'pwm-1', pwm_chip_sysfs_dir: pwm.id, pwm_id: 1 },
    ]);
    expect(after['analogs']).toEqual([
      { name: 'analog-0', pin: '0', spi_bus: '0', chip_select: '0' },
      { name: 'analog-1', pin: '1', spi_bus: '0', chip_select: '0' },
      { name: 'analog-0-2', pin: '0', spi_bus: '1', chip_select: '0' },
      { name: 'analog-0-3', chip: 'ads1115', pin: '0', spi_bus: '1', chip_select: '0x48' },
    ]);
  });

  it('is for the converter that is already configured there', () => {
    const before = { analogs: [{ name: 'pot', chip: 'mcp3208', pin: '0', spi_bus: '0', chip_select: '0' }] };
    const after = added(before, (from) => withAnalog(from, spi!, 'spi'));
    expect(after['analogs']).toMatchObject([{ chip: 'mcp3208' }, { chip: 'mcp3208', pin: '1' }]);
  });

  it('replaces a value that is no list', () => {
    const { attributes } = withPin({ pins: 'none' }, hardware, chip, chip.lines[0]!);
    expect(attributes['pins']).toEqual([{ name: 'C0L0', device_name: 'chip-0', line_number: 0 }]);
  });
});
