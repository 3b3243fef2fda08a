import { expect, it } from 'vitest';
import type { DoctorReport } from './doctor-report.ts';
import { doctorText } from './doctor-text.ts';

const line = { isActiveLow: false, bias: 'as-is', drive: 'push-pull' } as const;
const report: DoctorReport = {
  version: '1.2.3',
  node: 'v24.1.0',
  system: 'Linux 6.1.0 arm64',
  home: '/home/pat/.armature',
  backend: 'linux',
  computer: 'Raspberry Pi 4 Model B Rev 1.4',
  header: { name: 'raspberry-pi', title: 'Raspberry Pi, 40 pins' },
  gpioChips: [
    {
      path: '/dev/gpiochip0',
      name: 'gpiochip0',
      label: 'pinctrl-bcm2711',
      id: '/sys/devices/platform/soc/gpio',
      isUsable: true,
      lines: [
        { offset: 4, name: 'MOTOR', headerPin: '7', isUsed: true, holder: 'armature', isOutput: true, ...line },
        { offset: 17, name: '', headerPin: '', isUsed: true, holder: '', isOutput: false, ...line },
        {
          offset: 18,
          name: 'B',
          headerPin: '',
          isUsed: false,
          holder: '',
          isOutput: false,
          ...line,
          isActiveLow: true,
          bias: 'pull-up',
        },
      ],
    },
    { path: '/dev/gpiochip1', name: 'gpiochip1', label: '', id: '/dev/gpiochip1', isUsable: false, lines: [] },
  ],
  pwmChips: [
    {
      path: '/sys/class/pwm/pwmchip0',
      id: '/sys/devices/pwm',
      name: 'pca9685',
      channels: 1,
      hasOneClock: true,
      isUsable: true,
    },
  ],
  spiDevices: [],
  i2cBuses: [{ path: '/dev/i2c-1', label: 'bcm2835', isUsable: false }],
  limits: { pwmHz: 5_000, isRealTime: true },
  problems: [
    {
      area: 'gpio',
      device: '/dev/gpiochip1',
      severity: 'error',
      message: 'Not permitted: run this.',
      command: 'run it',
    },
    { area: 'spi', device: '', severity: 'note', message: 'No SPI: (enable it).', command: 'enable it' },
  ],
};

it('a report stands in columns, what is wrong last, a command once', () => {
  expect(doctorText(report)).toBe(`Armature      1.2.3, Node v24.1.0
System        Linux 6.1.0 arm64
Computer      Raspberry Pi 4 Model B Rev 1.4
Header        Raspberry Pi, 40 pins
Home          /home/pat/.armature
Software PWM  up to 5000 Hz, at real-time priority

GPIO
  /dev/gpiochip0  pinctrl-bcm2711  3 lines, 2 in use  /sys/devices/platform/soc/gpio
    4   MOTOR  pin 7  output  held by armature
    17  -             input   held by the kernel
    18  B             input   free                active-low pull-up
  /dev/gpiochip1  not usable

PWM
  /sys/class/pwm/pwmchip0  1 channel  /sys/devices/pwm  one frequency for all

I2C
  /dev/i2c-1  bcm2835  not usable

Problems
  error  Not permitted: run this.
         run it
  note   No SPI: (enable it).
`);
});
