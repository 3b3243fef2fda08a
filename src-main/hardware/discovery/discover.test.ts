import { describe, expect, it } from 'vitest';
import type { Hardware } from '../../../native/index.js';
import { ArmatureError } from '../../base/errors.ts';
import type { HardwareProblem } from './description.ts';
import { filesOf } from './device-files.fixture.ts';
import { discoverHardware, type DiscoveredHardware } from './discover.ts';

const pi = { '/proc/device-tree/model': 'Raspberry Pi 4 Model B Rev 1.4', '/boot/firmware/config.txt': '' };
const line = { headerPin: '', isActiveLow: false, bias: 'as-is', drive: 'push-pull' } as const;

/** The addon on a computer whose chips these are; whatever else is done with it fails the test. */
function hardwareWith(chips: readonly string[], more: Partial<Hardware> = {}): DiscoveredHardware {
  const addon: Partial<Hardware> = {
    gpioChips: () =>
      chips.map((path) => ({ path, name: path.slice(5), label: 'pinctrl', lines: 2, id: `/sys/devices${path}` })),
    gpioLines: () => [
      { offset: 0, name: 'ID_SDA', consumer: 'kernel', isUsed: true, isOutput: true, ...line },
      { offset: 1, name: '', consumer: '', isUsed: false, isOutput: false, ...line },
    ],
    limits: () => ({ pwmHz: 5_000, isRealTime: true, reason: '' }),
    ...more,
  };
  return {
    backend: 'linux',
    missingReason: () => Promise.resolve(undefined),
    open: () => Promise.resolve(addon as Hardware),
  };
}

const closed: DiscoveredHardware = {
  backend: 'linux',
  missingReason: () => Promise.resolve(undefined),
  open: () => Promise.reject(new Error('opened, with nothing to open it for')),
};

function about(problems: readonly HardwareProblem[], area: HardwareProblem['area']): HardwareProblem {
  const found = problems.filter((problem) => problem.area === area);
  expect(found).toHaveLength(1);
  return found[0]!;
}

describe('what a computer has', () => {
  it('is listed with names, holders and what the kernel calls it', async () => {
    const files = filesOf({
      ...pi,
      '/dev/gpiochip0': '',
      '/dev/gpiochip0-link': '',
      '/dev/spidev0.0': '',
      '/dev/i2c-1': '',
      '/sys/bus/spi/devices/spi0.0/modalias': 'spi:spidev',
      '/sys/class/i2c-dev/i2c-1/name': 'bcm2835 (i2c@7e804000)',
      '/sys/class/pwm/pwmchip0/npwm': '2',
      '/sys/class/pwm/pwmchip0/device': '/sys/devices/platform/fe20c000.pwm',
    });
    expect(await discoverHardware(hardwareWith(['/dev/gpiochip0']), files)).toEqual({
      backend: 'linux',
      computer: 'Raspberry Pi 4 Model B Rev 1.4',
      header: { name: 'raspberry-pi', title: 'Raspberry Pi, 40 pins' },
      gpioChips: [
        {
          path: '/dev/gpiochip0',
          name: 'gpiochip0',
          label: 'pinctrl',
          id: '/sys/devices/dev/gpiochip0',
          isUsable: true,
          lines: [
            { offset: 0, name: 'ID_SDA', holder: 'kernel', isUsed: true, isOutput: true, ...line },
            { offset: 1, name: '', holder: '', isUsed: false, isOutput: false, ...line },
          ],
        },
      ],
      pwmChips: [
        {
          path: '/sys/class/pwm/pwmchip0',
          id: '/sys/devices/platform/fe20c000.pwm',
          channels: 2,
          name: '',
          hasOneClock: false,
          isUsable: true,
        },
      ],
      spiDevices: [{ path: '/dev/spidev0.0', label: 'spi:spidev', isUsable: true }],
      i2cBuses: [{ path: '/dev/i2c-1', label: 'bcm2835 (i2c@7e804000)', isUsable: true }],
      limits: { pwmHz: 5_000, isRealTime: true },
      problems: [],
    });
  });

  it('is listed, with the reason, where it may not be opened, and its neighbour is not touched by that', async () => {
    const files = filesOf(
      {
        ...pi,
        '/dev/gpiochip0': '',
        '/dev/gpiochip1': '',
        '/dev/spidev0.0': '',
        '/dev/i2c-1': '',
        '/sys/class/pwm/pwmchip0/npwm': '2',
      },
      {
        '/dev/gpiochip0': { group: 'gpio', isMember: false },
        '/dev/spidev0.0': { group: 'spi', isMember: true },
        '/sys/class/pwm/pwmchip0/export': { group: '', isMember: false },
      },
    );
    const asked: string[] = [];
    const hardware = hardwareWith(['/dev/gpiochip0', '/dev/gpiochip1'], {
      gpioLines: (chip) => {
        asked.push(chip);
        return [];
      },
    });
    const found = await discoverHardware(hardware, files);
    expect(found.gpioChips.map(({ path, isUsable }) => [path, isUsable])).toEqual([
      ['/dev/gpiochip0', false],
      ['/dev/gpiochip1', true],
    ]);
    expect(asked).toEqual(['/dev/gpiochip1']);
    expect(found.spiDevices).toMatchObject([{ isUsable: false }]);
    expect(found.pwmChips).toMatchObject([{ isUsable: false, channels: 2 }]);
    expect(about(found.problems, 'gpio')).toEqual({
      area: 'gpio',
      device: '/dev/gpiochip0',
      severity: 'error',
      message:
        '/dev/gpiochip0: not permitted: add the user to the group gpio (sudo usermod -aG gpio pat), then sign in again.',
      command: 'sudo usermod -aG gpio pat',
    });
    expect(about(found.problems, 'spi')).toMatchObject({ command: '', severity: 'error' });
    expect(about(found.problems, 'spi').message).toContain('sign out and in again');
    const pwm = about(found.problems, 'pwm');
    expect(pwm.device).toBe('/sys/class/pwm/pwmchip0');
    expect(pwm.command).toContain('/etc/udev/rules.d/60-armature-pwm.rules');
  });

  it('is listed without the addon, whose reason comes along', async () => {
    const reason = 'The hardware addon was not built: install cmake.';
    const files = filesOf({ ...pi, '/dev/gpiochip0': '', '/dev/spidev0.0': '', '/dev/i2c-1': '' });
    const found = await discoverHardware({ ...closed, missingReason: () => Promise.resolve(reason) }, files);
    expect(found.gpioChips).toMatchObject([{ path: '/dev/gpiochip0', isUsable: false, lines: [] }]);
    expect(about(found.problems, 'addon')).toMatchObject({ severity: 'error', message: reason });
    expect(found.limits).toBeUndefined();
  });

  it('is listed where the addon cannot be opened, or a chip is gone in the middle of it', async () => {
    const files = filesOf({ ...pi, '/dev/gpiochip0': '', '/dev/spidev0.0': '', '/dev/i2c-1': '' });
    const guardian = new ArmatureError(
      'hardware.missing',
      'armature-guardian: starting the guardian: it does not exist.',
    );
    const shut = await discoverHardware({ ...closed, open: () => Promise.reject(guardian) }, files);
    expect(shut.gpioChips).toMatchObject([{ isUsable: false }]);
    expect(about(shut.problems, 'addon').message).toBe(guardian.message);

    const gone = hardwareWith(['/dev/gpiochip0'], {
      gpioLines: () => {
        throw Object.assign(new Error('/dev/gpiochip0: gone'), { code: 'hardware.gone' });
      },
    });
    const left = await discoverHardware(gone, files);
    expect(left.gpioChips).toMatchObject([{ isUsable: false }]);
    expect(about(left.problems, 'gpio')).toMatchObject({ device: '/dev/gpiochip0', message: '/dev/gpiochip0: gone.' });
  });

  it('has the pins of its header on the chip that they are of', async () => {
    const hardware = hardwareWith(['/dev/gpiochip0', '/dev/gpiochip1'], {
      gpioChips: () =>
        ['raspberrypi-exp-gpio', 'pinctrl-bcm2711'].map((label, index) => {
          const name = `gpiochip${index}`;
          return { path: `/dev/${name}`, name, label, lines: 2, id: name };
        }),
      gpioLines: () =>
        [4, 28].map((offset) => ({ offset, name: '', consumer: '', isUsed: false, isOutput: false, ...line })),
    });
    const { gpioChips } = await discoverHardware(
      hardware,
      filesOf({ ...pi, '/dev/gpiochip0': '', '/dev/gpiochip1': '' }),
    );
    expect(gpioChips.map(({ lines }) => lines.map(({ headerPin }) => headerPin))).toEqual([
      ['', ''],
      ['7', ''],
    ]);
  });

  it('says how software PWM gets the priority that it was refused', async () => {
    const hardware = hardwareWith(['/dev/gpiochip0'], {
      limits: () => ({ pwmHz: 2_000, isRealTime: false, reason: 'real-time priority was refused' }),
    });
    const files = filesOf({ ...pi, '/dev/gpiochip0': '' });
    const { limits, problems } = await discoverHardware(hardware, files);
    expect(limits).toEqual({ pwmHz: 2_000, isRealTime: false });
    expect(about(problems, 'limits')).toMatchObject({
      severity: 'note',
      command: 'echo "pat - rtprio 60" | sudo tee /etc/security/limits.d/armature.conf',
    });
  });
});

describe('what a computer has not', () => {
  it('on a PC is one note, for which the addon is not opened', async () => {
    const found = await discoverHardware(
      closed,
      filesOf({ '/sys/class/dmi/id/sys_vendor': 'LENOVO', '/sys/class/dmi/id/product_name': '20XW' }),
    );
    expect(found.computer).toBe('LENOVO 20XW');
    expect(found.problems).toMatchObject([{ area: 'gpio', severity: 'note', device: '' }]);
    expect(found.problems[0]?.message).toContain('-simulate-hardware');
  });

  it('on a Raspberry Pi is enabled with a command', async () => {
    const withTool = filesOf({ ...pi, '/dev/gpiochip0': '', '/usr/bin/raspi-config': '' });
    const { problems } = await discoverHardware(hardwareWith(['/dev/gpiochip0']), withTool);
    expect(about(problems, 'spi')).toEqual({
      area: 'spi',
      device: '',
      severity: 'note',
      message: '/dev/spidev0.0 does not exist: enable SPI with raspi-config (sudo raspi-config nonint do_spi 0).',
      command: 'sudo raspi-config nonint do_spi 0',
    });
    expect(about(problems, 'i2c').command).toBe('sudo raspi-config nonint do_i2c 0');

    const without = await discoverHardware(hardwareWith(['/dev/gpiochip0']), filesOf({ ...pi, '/dev/gpiochip0': '' }));
    expect(about(without.problems, 'spi').command).toBe(
      `echo 'dtparam=spi=on' | sudo tee -a /boot/firmware/config.txt`,
    );
    expect(about(without.problems, 'pwm').message).toContain('dtoverlay=pwm-2chan');
  });

  it('in a container is what the kernel has and /dev has not', async () => {
    const files = filesOf({ '/sys/bus/gpio/devices/gpiochip0': '', '/sys/bus/i2c/devices/i2c-1': '' });
    const { problems } = await discoverHardware(closed, files);
    expect(about(problems, 'gpio')).toMatchObject({ device: '/dev/gpiochip0', severity: 'error' });
    expect(about(problems, 'gpio').message).toContain('--device /dev/gpiochip0');
    expect(about(problems, 'i2c').command).toBe('sudo modprobe i2c-dev');
  });

  it('elsewhere than on Linux is everything, and no fault', async () => {
    const reason = 'Hardware needs Linux; this computer has darwin.';
    const hardware = { ...closed, missingReason: () => Promise.resolve(reason) };
    const { problems } = await discoverHardware(hardware, filesOf({}, {}, 'darwin'));
    expect(problems).toEqual([{ area: 'addon', device: '', severity: 'note', message: reason, command: '' }]);
  });
});
