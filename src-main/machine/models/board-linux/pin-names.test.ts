import { describe, expect, it } from 'vitest';
import { gpioChipsOf } from './board-devices.ts';
import { PinNames } from './pin-names.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { GpioChip, GpioLine } from '../../../hardware/hardware-types.ts';
import { raspberryPi } from '../../../hardware/headers/raspberry-pi.ts';
import type { LinuxBoardAttributes } from './attributes.ts';

const chip = (number: number, label: string, lines = 54): GpioChip => ({
  path: `/dev/gpiochip${number}`,
  name: `gpiochip${number}`,
  label,
  lines,
  id: `/sys/devices/${label}`,
});
const soc = chip(0, 'pinctrl-bcm2711');
const usb = chip(1, 'cp2112', 8);

interface Computer {
  chips: readonly GpioChip[];
  /** Names of lines, by the label of their chip. */
  names?: Readonly<Record<string, readonly string[]>>;
  unreadable?: readonly string[];
  /** By label and offset. */
  pwm?: Readonly<Record<string, { chip: string; channel: number }>>;
}

function namesOn(
  computer: Computer,
  attributes: LinuxBoardAttributes = {},
  header: typeof raspberryPi | undefined = undefined,
): PinNames {
  const linesOf = ({ label }: GpioChip): readonly GpioLine[] => {
    if (computer.unreadable?.includes(label) === true) throw new ArmatureError('hardware.permission', `${label}: no`);
    const names = computer.names?.[label] ?? [];
    return names.map((name, offset) => ({ name, offset }) as GpioLine);
  };
  const chips = gpioChipsOf({ gpioChips: () => [...computer.chips] });
  const pwmOf = ({ label }: GpioChip, offset: number) => computer.pwm?.[`${label} ${offset}`];
  return new PinNames({ attributes, header, chips, linesOf, pwmOf });
}

/** `label offset`. */
function line(names: PinNames, name: string): string {
  const { line } = names.find(name);
  return `${line?.chip.replace('/sys/devices/', '')} ${line?.offset}`;
}

function failure(names: PinNames, name: string): string {
  try {
    names.find(name);
  } catch (thrown) {
    const { code, message } = thrown as ArmatureError;
    return `${code}: ${message}`;
  }
  return 'no failure';
}

const pi: Computer = { chips: [soc, usb], names: { cp2112: ['RELAY', '', 'LAMP'] } };

describe('names of pins', () => {
  it('mean pins of the configuration, interrupts, the header, names on it, names of lines, offsets: in this order', () => {
    const names = namesOn(
      pi,
      {
        pins: [
          { name: '11', device_name: 'cp2112', line_number: 3 },
          { name: 'RELAY', line_number: 5 },
        ],
        digital_interrupts: [
          { name: '13', pin: 'LAMP' },
          { name: 'GPIO4', pin: 'RELAY' },
        ],
      },
      raspberryPi,
    );
    expect(line(names, '11')).toBe('cp2112 3');
    expect(line(names, 'RELAY')).toBe('pinctrl-bcm2711 5');
    expect(line(names, '13')).toBe('cp2112 2');
    expect(line(names, 'GPIO4')).toBe('pinctrl-bcm2711 5');
    expect(line(names, '12')).toBe('pinctrl-bcm2711 18');
    expect(line(names, 'GPIO17')).toBe('pinctrl-bcm2711 17');
    expect(line(names, 'LAMP')).toBe('cp2112 2');
    expect(line(names, '41')).toBe('pinctrl-bcm2711 41');
  });

  it('without a header are offsets on the chip of the configuration, or on the only one', () => {
    expect(line(namesOn({ chips: [usb] }), '7')).toBe('cp2112 7');
    for (const reference of [usb.path, usb.name, usb.label, usb.id]) {
      expect(line(namesOn(pi, { chip: reference }), '7')).toBe('cp2112 7');
    }
    expect(failure(namesOn({ chips: [soc, usb] }), '7')).toBe(
      'config.invalid: "7" does not say which GPIO chip it is of; this computer has /dev/gpiochip0 (pinctrl-bcm2711), /dev/gpiochip1 (cp2112). Set "chip".',
    );
    expect(failure(namesOn({ chips: [] }), '7')).toMatch(/^hardware.missing: .*no GPIO chip/);
    expect(failure(namesOn(pi, { chip: 'cp2112' }), '8')).toBe(
      'call.not_found: there is no pin "8": GPIO chip /dev/gpiochip1 (cp2112) has lines 0 to 7.',
    );
  });

  it('stay on their chip when another is plugged in, or the numbers change', () => {
    const computer = { ...pi, chips: [usb] };
    const names = namesOn(computer);
    expect(line(names, '1')).toBe('cp2112 1');
    computer.chips = [soc, usb];
    expect(line(names, '2')).toBe('cp2112 2');
    computer.chips = [soc];
    expect(line(names, '2')).toBe('cp2112 2');
  });

  it('that mean a supply, nothing, or several lines say so', () => {
    const names = namesOn(pi, {}, raspberryPi);
    expect(failure(names, '1')).toBe('call.not_found: pin 1 of the header (Raspberry Pi, 40 pins) is 3.3 V, no line.');
    expect(failure(namesOn(pi, { pins: [{ name: 'left' }] }, raspberryPi), 'lefft')).toMatch(
      /^call.not_found: there is no pin "lefft"; known are "left", the pins of its header/,
    );
    const twice = { chips: [soc, usb], names: { cp2112: ['X'], 'pinctrl-bcm2711': ['', 'X'] } };
    expect(failure(namesOn(twice), 'X')).toMatch(/^config.invalid: 2 lines are named "X": line 1 of .*, line 0 of /);
    expect(line(namesOn(twice, { chip: 'cp2112' }), 'X')).toBe('cp2112 0');
  });

  it('are found on the chips that may be read; else why one may not is what is said', () => {
    const computer = { ...pi, unreadable: ['pinctrl-bcm2711'] };
    expect(line(namesOn(computer), 'LAMP')).toBe('cp2112 2');
    expect(failure(namesOn(computer), 'NOPE')).toBe('hardware.permission: pinctrl-bcm2711: no');
  });

  it("that are a chip's say which there are, and want an id where a label is that of two", () => {
    const two = { chips: [usb, { ...chip(2, 'cp2112', 8), id: '/sys/devices/other' }] };
    expect(failure(namesOn(pi, { pins: [{ name: 'a', device_name: 'cp2113', line_number: 0 }] }), 'a')).toBe(
      'hardware.missing: there is no GPIO chip "cp2113"; this computer has /dev/gpiochip0 (pinctrl-bcm2711), /dev/gpiochip1 (cp2112). Plug it in, or correct its name.',
    );
    expect(failure(namesOn(two, { chip: 'cp2112' }), '0')).toMatch(
      /^config.invalid: 2 devices .*: \/sys\/devices\/cp2112, \/sys\/devices\/other\.$/,
    );
  });

  it('of one line have what the configuration says of it, whichever is asked for', () => {
    const own = { safe: 'high', active_low: true, bias: 'pull-up', drive: 'open-drain' } as const;
    const found = { safe: true, isActiveLow: true, bias: 'pull-up', drive: 'open-drain' };
    const names = namesOn(pi, { pins: [{ name: 'LAMP', ...own }], chip: 'cp2112' }, raspberryPi);
    expect(names.find('LAMP')).toMatchObject(found);
    expect(namesOn(pi, { pins: [{ name: 'x', line_number: 17, ...own }] }, raspberryPi).find('GPIO17')).toMatchObject(
      found,
    );
    expect(names.find('12')).toMatchObject({ safe: false, isActiveLow: false, bias: 'as-is', drive: 'push-pull' });
    const pwm = { pwm_chip_sysfs_dir: 'pwmchip0', pwm_id: 1 };
    const pins = [
      { name: '12', ...pwm },
      { name: 'fan', line_number: 2, ...pwm },
      { name: 'lamp', ...pwm },
    ];
    const withPwm = namesOn(pi, { pins }, raspberryPi);
    expect(withPwm.find('fan')).toMatchObject({ line: { offset: 2 }, pwm: { chip: 'pwmchip0', channel: 1 } });
    expect(withPwm.find('12').line?.offset).toBe(18);
    expect(withPwm.find('lamp').line).toBeUndefined();
  });

  it('of a line that a PWM chip drives have its channel, unless they want what only the line can do', () => {
    const pwm = { chip: 'id', channel: 1 };
    const computer = { ...pi, pwm: { 'pinctrl-bcm2711 18': pwm } };
    const names = (pins: LinuxBoardAttributes['pins']) => namesOn(computer, { pins: pins ?? [] }, raspberryPi);
    expect([names([]).find('12').pwm, names([]).find('GPIO18').pwm, names([]).find('11').pwm]).toEqual([
      pwm,
      pwm,
      undefined,
    ]);
    expect(names([{ name: 'fan', line_number: 18, bias: 'pull-down' }]).find('12').pwm).toEqual(pwm);
    for (const own of [{ safe: 'high' }, { active_low: true }, { drive: 'open-drain' }] as const) {
      expect(names([{ name: 'fan', line_number: 18, ...own }]).find('12').pwm).toBeUndefined();
    }
    const other = { pwm_chip_sysfs_dir: 'pwmchip3', pwm_id: 2 };
    expect(names([{ name: 'fan', line_number: 18, ...other }]).find('12').pwm).toEqual({
      chip: 'pwmchip3',
      channel: 2,
    });
  });
});

describe('an entry of "pins"', () => {
  it('gives a pin of the header or a named line a name of its own, which holds by every name of it', () => {
    const pins = [
      { name: 'lamp', pin: '11', hold: 'session' },
      { name: 'relay', pin: 'RELAY' },
    ] as const;
    const names = namesOn(pi, { pins }, raspberryPi);
    expect(line(names, 'lamp')).toBe(line(names, '11'));
    expect(line(names, 'relay')).toBe('cp2112 0');
    expect(['lamp', '11', 'GPIO17', 'relay', '13'].map((name) => names.find(name).isHeld)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
