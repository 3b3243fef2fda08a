import { describe, expect, it } from 'vitest';
import { linuxBoardSchema } from '../../../../src-main/machine/models/board-linux/attributes.ts';
import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { createTexts } from '../../../shared/text.ts';
import type { JsonObject } from '../form/fields/form-field.ts';
import { chipOf, hardwareOf, lineOf } from './hardware.fixture.ts';
import { hardwareInputs, type HardwareInput } from './hardware-input.ts';
import { hardwareOptions, plainPins } from './hardware-options.ts';

const t = createTexts();
const lines = [lineOf(0), lineOf(1, { isUsed: true, holder: 'gpioset' }), lineOf(2, { name: '' })];
const hardware = hardwareOf({ gpioChips: [chipOf(0, { lines }), chipOf(1)] });

function values(
  input: HardwareInput,
  beside: JsonObject = {},
  attributes: JsonObject = {},
  written = '',
  of = hardware,
): string[] {
  return hardwareOptions(input, of, { beside, attributes, written }, t).map(({ value, detail }) =>
    detail === undefined ? value : `${value}: ${detail}`,
  );
}

describe('the options of a field of a board', () => {
  it('are chips by a stable name, in the present spelling', () => {
    expect(values('gpio-chip')).toEqual(['chip-0: gpiochip0 · 3 lines', 'chip-1: gpiochip1 · 4 lines']);
    expect(values('gpio-chip', {}, {}, '/dev/gpiochip1')).toContain('/dev/gpiochip1: gpiochip1 · 4 lines');
  });

  it('are the lines of the chip in the same object, or else of the board', () => {
    const of0 = ['0: GPIO0 · free', '1: GPIO1 · held by gpioset', '2: free'];
    expect(values('gpio-line', { device_name: 'gpiochip0' }, { chip: 'chip-1' })).toEqual(of0);
    expect(values('gpio-line', {}, { chip: 'chip-0' })).toEqual(of0);
    expect(values('gpio-line')).toEqual([]);
  });

  it('are PWM chips, and the channels of the one in the same object', () => {
    expect(values('pwm-chip')).toEqual(['/sys/devices/soc/fe20c000.pwm: pwmchip0 · 2 channels']);
    expect(values('pwm-chip', {}, {}, 'fe20c000.pwm')).toEqual(['fe20c000.pwm: pwmchip0 · 2 channels']);
    expect(values('pwm-channel', { pwm_chip_sysfs_dir: 'pwmchip0' })).toEqual(['0', '1']);
    // Found by the name of its device, as the board reads it.
    const [chip] = hardware.pwmChips;
    const servos = { ...hardware, pwmChips: [{ ...chip!, name: 'pca9685-pwm', hasOneClock: true }] };
    for (const name of ['pca9685', 'pca9685-pwm']) {
      expect(values('pwm-chip', {}, {}, name, servos)).toEqual([
        `${name}: pwmchip0 · 2 channels, one frequency for all`,
      ]);
    }
    expect(values('pwm-channel')).toEqual([]);
  });

  it('are the buses that the converter can be on, and its chip selects there', () => {
    expect(values('converter-bus').map((text) => text.split(':')[0])).toEqual(['0', '1']);
    expect(values('converter-bus', { chip: 'ads1115' })).toEqual(['1: bcm2835']);
    expect(values('converter-select', { spi_bus: '0' })).toEqual(['0: /dev/spidev0.0', '1: /dev/spidev0.1']);
    expect(values('converter-select', { chip: 'ads1115' })[0]).toBe('0x48: ADDR at GND');
  });

  it('are all used by the schema', () => {
    const found = new Set<unknown>();
    const walk = (schema: JsonSchema): void => {
      found.add(schema['x-input']);
      for (const one of [...Object.values(schema.properties ?? {}), schema.items]) if (one !== undefined) walk(one);
    };
    walk(linuxBoardSchema);
    expect(hardwareInputs.filter((input) => !found.has(input))).toEqual([]);
  });
});

describe('pins that need no entry', () => {
  const names = (attributes: unknown, of = hardware): string[] =>
    plainPins(of, attributes, t).map(({ value }) => value);

  it('are lines with a unique name, without those that have a pin already', () => {
    expect(names({})).toEqual(['GPIO0', 'GPIO1', 'C1L0', 'C1L1', 'C1L2', 'C1L3']);
    expect(names({ pins: [{ name: 'x', device_name: 'chip-0', line_number: 0 }] })).not.toContain('GPIO0');
    const twins = hardwareOf({ gpioChips: [chipOf(0, { lines }), chipOf(1, { lines })] });
    expect(names({}, twins)).toEqual([]);
  });

  it('are pins of the header if lines have no names', () => {
    const header = { name: 'raspberry-pi', title: 'Raspberry Pi' };
    const bare = [lineOf(0, { name: '', headerPin: '27' }), lineOf(1, { headerPin: '28' })];
    const of = hardwareOf({ header, gpioChips: [chipOf(0, { lines: bare }), chipOf(1, { lines: [] })] });
    expect(names({}, of)).toEqual(['27', 'GPIO1']);
  });
});
