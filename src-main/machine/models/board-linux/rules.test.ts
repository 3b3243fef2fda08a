import { describe, expect, it } from 'vitest';
import { checkLinuxBoard, placeOf, wiresOf } from './rules.ts';
import { linuxBoardSchema, type LinuxBoardAttributes } from './attributes.ts';
import { headers } from '../../../hardware/headers/find-header.ts';
import { fitsSchema } from '../../../../proto/config/schema/fits-schema.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';

/** `pointer code` of each problem; a warning begins with `(`. */
function problems(attributes: LinuxBoardAttributes): string[] {
  const json = attributes as unknown as Readonly<Record<string, JsonValue>>;
  expect(fitsSchema(linuxBoardSchema, json)).toBe(true);
  return checkLinuxBoard(attributes).map(({ pointer, severity, code }) =>
    severity === 'error' ? `${pointer} ${code}` : `(${pointer} ${code})`,
  );
}

const analog = (extra: object = {}) => ({ name: 'pot', pin: '0', chip_select: '0', spi_bus: '0', ...extra });

describe('rules of the linux board', () => {
  it('offer each header that there is, and none', () => {
    expect(linuxBoardSchema.properties.header.enum).toEqual([...headers.map(({ name }) => name), 'none']);
  });

  it('has none against a board that says nothing, or everything rightly', () => {
    expect(problems({})).toEqual([]);
    expect(
      problems({
        header: 'raspberry-pi',
        chip: 'pinctrl-rp1',
        pins: [
          { name: 'left', device_name: 'gpiochip0', line_number: 17, pwm_chip_sysfs_dir: '', pwm_id: -1 },
          { name: 'right', device_name: '', line_number: 18, safe: 'high', active_low: true, drive: 'open-drain' },
          { name: 'fan', line_number: -1, pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: 0 },
          { name: 'GPIO22', bias: 'pull-up' },
          { name: 'lamp', pin: '11', hold: 'session' },
        ],
        analogs: [
          analog(),
          analog({ name: 'second', pin: '1' }),
          analog({ name: 'third', chip: 'ads1115', spi_bus: '1', chip_select: '0x4B' }),
        ],
        digital_interrupts: [
          { name: 'left', pin: 'left' },
          { name: 'a', pin: '16', edges: 'rising', debounce_us: 100 },
        ],
        expiry_ms: 150,
        pwm_frequency_hz: 1_000,
      }),
    ).toEqual([]);
  });

  it('has names once in each list', () => {
    const twice = [{ name: 'x' }, { name: 'x' }];
    expect(problems({ pins: twice })).toEqual(['/pins/1/name attribute.duplicate']);
    expect(problems({ analogs: [analog(), analog({ pin: '1' })] })).toEqual(['/analogs/1/name attribute.duplicate']);
    expect(problems({ digital_interrupts: twice.map((one, pin) => ({ ...one, pin: String(pin) })) })).toEqual([
      '/digital_interrupts/1/name attribute.duplicate',
    ]);
  });

  it('has a pin under one name, and by a name or a number, not both', () => {
    expect(
      problems({
        pins: [
          { name: 'lamp', pin: '11' },
          { name: 'horn', pin: '11' },
          { name: 'x', pin: '13', line_number: 4 },
        ],
      }),
    ).toEqual(['/pins/1/pin attribute.conflict', '/pins/2/pin attribute.conflict']);
  });

  it('has a line, a PWM channel and a channel of a converter once', () => {
    const line = { device_name: 'gpiochip0', line_number: 4 };
    expect(
      problems({
        pins: [
          { name: 'a', ...line },
          { name: 'b', ...line },
        ],
      }),
    ).toEqual(['/pins/1/line_number attribute.conflict']);
    const channel = { pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: 1 };
    expect(
      problems({
        pins: [
          { name: 'a', ...channel },
          { name: 'b', ...channel },
        ],
      }),
    ).toEqual(['/pins/1/pwm_id attribute.conflict']);
    expect(problems({ analogs: [analog(), analog({ name: 'b', pin: '0x0' })] })).toEqual([
      '/analogs/1/pin attribute.conflict',
    ]);
    expect(problems({ analogs: [analog(), analog({ name: 'b', pin: '1', chip: 'mcp3208' })] })).toEqual([
      '/analogs/1/chip attribute.conflict',
    ]);
  });

  it('wants what belongs together', () => {
    expect(problems({ pins: [{ name: 'a', device_name: 'gpiochip0' }] })).toEqual([
      '/pins/0/line_number attribute.missing',
    ]);
    expect(problems({ pins: [{ name: 'a', pwm_id: 0 }] })).toEqual(['/pins/0/pwm_chip_sysfs_dir attribute.missing']);
    expect(problems({ pins: [{ name: 'a', pwm_chip_sysfs_dir: 'pwmchip0' }] })).toEqual([
      '/pins/0/pwm_id attribute.missing',
    ]);
  });

  it('refuses what a PWM chip cannot do', () => {
    const pwm = { name: 'a', pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: 0 };
    expect(problems({ pins: [{ ...pwm, safe: 'high', active_low: true, drive: 'open-drain' }] })).toEqual([
      '/pins/0/safe attribute.conflict',
      '/pins/0/active_low attribute.conflict',
      '/pins/0/drive attribute.conflict',
    ]);
    expect(problems({ pins: [pwm], digital_interrupts: [{ name: 'i', pin: 'a' }] })).toEqual([
      '/digital_interrupts/0/pin attribute.conflict',
    ]);
  });

  it('knows the channels, buses, selects and addresses of each converter', () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ pin: '8' }, 'pin'],
      [{ pin: '-1' }, 'pin'],
      [{ pin: 'A0' }, 'pin'],
      [{ chip: 'mcp3002', pin: '2' }, 'pin'],
      [{ chip: 'mcp3204', pin: '4' }, 'pin'],
      [{ spi_bus: 'spi0' }, 'spi_bus'],
      [{ chip_select: 'CE0' }, 'chip_select'],
      [{ chip: 'ads1115', chip_select: '0x47' }, 'chip_select'],
      [{ chip: 'ads1115', chip_select: '48' }, 'chip_select'],
      [{ chip: 'ads1115', chip_select: '76' }, 'chip_select'],
    ];
    for (const [extra, key] of wrong) {
      expect(problems({ analogs: [analog(extra)] }), JSON.stringify(extra)).toEqual([
        `/analogs/0/${key} attribute.out_of_range`,
      ]);
    }
  });

  it('knows how fast a converter is, all its channels together, and when nothing is averaged', () => {
    const fast = (name: string, pin: string) =>
      analog({ name, pin, chip: 'ads1115', chip_select: '72', samples_per_sec: 300 });
    expect(problems({ analogs: [fast('a', '0')] })).toEqual([]);
    expect(problems({ analogs: [fast('a', '0'), fast('b', '1')] })).toEqual([
      '/analogs/1/samples_per_sec attribute.out_of_range',
    ]);
    expect(problems({ analogs: [analog({ samples_per_sec: 10, average_over_ms: 150 })] })).toEqual([
      '(/analogs/0/average_over_ms attribute.ignored)',
    ]);
    expect(problems({ analogs: [analog({ samples_per_sec: 10, average_over_ms: 200 })] })).toEqual([]);
  });

  it('has one interrupt a pin, under a name that is no other pin', () => {
    expect(
      problems({
        digital_interrupts: [
          { name: 'a', pin: '7' },
          { name: 'b', pin: '7' },
        ],
      }),
    ).toEqual(['/digital_interrupts/1/pin attribute.conflict']);
    expect(problems({ pins: [{ name: 'a', line_number: 3 }], digital_interrupts: [{ name: 'a', pin: '7' }] })).toEqual([
      '/digital_interrupts/0/name attribute.conflict',
    ]);
  });
});

describe('what the texts of a linux board mean', () => {
  it('finds converters', () => {
    expect(placeOf(analog({ spi_bus: '1', chip_select: '2', pin: '3' }))).toEqual({
      chip: 'mcp3008',
      device: '/dev/spidev1.2',
      address: undefined,
      channel: 3,
    });
    for (const select of ['0x48', '72']) {
      expect(placeOf(analog({ chip: 'ads1115', spi_bus: '1', chip_select: select }))).toEqual({
        chip: 'ads1115',
        device: '/dev/i2c-1',
        address: 0x48,
        channel: 0,
      });
    }
  });

  it('takes -1 and empty text for none', () => {
    expect(wiresOf({ name: 'a', device_name: '', line_number: -1, pwm_chip_sysfs_dir: '', pwm_id: -1 })).toEqual({
      chip: undefined,
      line: undefined,
      pwmChip: undefined,
      pwmChannel: undefined,
    });
  });

  it('has those of simulated motors, as a fake board has', () => {
    const pins = { a: '11', b: '13', pwm: '32' };
    const encoder = { a: 'enc_a', b: 'enc_b' };
    expect(problems({ simulated_motors: [{ pins, encoder_pins: encoder, ticks_per_rotation: 600 }] })).toEqual([]);
    expect(problems({ simulated_motors: [{ pins: { a: '11' } }] })).toHaveLength(1);
    expect(
      problems({
        simulated_motors: [
          { pins, encoder_pins: encoder },
          { pins, encoder_pins: { a: 'enc_b', b: 'enc_c' } },
        ],
      }),
    ).toEqual(['/simulated_motors/1/encoder_pins/a attribute.conflict']);
  });
});
