import type { GpioChipView, HardwareView, LineView } from '../../../shared/machine/hardware-view.ts';

export function lineOf(offset: number, more: Partial<LineView> = {}): LineView {
  return { offset, name: `GPIO${offset}`, headerPin: '', isUsed: false, holder: '', isOutput: false, ...more };
}

export function chipOf(number: number, more: Partial<GpioChipView> = {}): GpioChipView {
  const name = `gpiochip${number}`;
  const lines = [0, 1, 2, 3].map((offset) => lineOf(offset, { name: `C${number}L${offset}` }));
  return {
    path: `/dev/${name}`,
    name,
    label: `chip-${number}`,
    id: `/sys/devices/soc/${name}`,
    isUsable: true,
    lines,
    ...more,
  };
}

export function hardwareOf(more: Partial<HardwareView> = {}): HardwareView {
  return {
    isSimulated: false,
    computer: '',
    header: undefined,
    gpioChips: [chipOf(0), chipOf(1)],
    pwmChips: [
      {
        path: '/sys/class/pwm/pwmchip0',
        id: '/sys/devices/soc/fe20c000.pwm',
        channels: 2,
        name: '',
        hasOneClock: false,
        isUsable: true,
      },
    ],
    spiDevices: ['/dev/spidev0.0', '/dev/spidev0.1', '/dev/spidev1.0'].map((path) => ({
      path,
      label: '',
      isUsable: true,
    })),
    i2cBuses: [{ path: '/dev/i2c-1', label: 'bcm2835', isUsable: true }],
    limits: { pwmHz: 5_000, isRealTime: true },
    problems: [],
    ...more,
  };
}
