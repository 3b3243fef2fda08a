import { isRaspberryPi } from './computer-model.ts';
import type { HardwareArea, HardwareProblem } from './description.ts';
import type { DeviceFiles } from './device-files.ts';

/** Paths of what there is. */
export interface FoundPaths {
  readonly gpio: readonly string[];
  readonly pwm: readonly string[];
  readonly spi: readonly string[];
  readonly i2c: readonly string[];
}

/** The hardware that this Linux computer lacks, and how it could get it. */
export function missingHardware(found: FoundPaths, computer: string, files: DeviceFiles): HardwareProblem[] {
  const problems = [...hiddenDevices(found, files)];
  const isNamed = (area: HardwareArea): boolean => problems.some((problem) => problem.area === area);
  if (found.gpio.length === 0 && !isNamed('gpio')) problems.push(noGpio(computer, files));
  if (isRaspberryPi(computer)) {
    if (found.pwm.length === 0) problems.push(noPiPwm(files));
    if (found.spi.length === 0) problems.push(noPiBus('spi', files));
    if (found.i2c.length === 0 && !isNamed('i2c')) problems.push(noPiBus('i2c', files));
  } else if (found.gpio.length > 0) {
    // Where there are no pins either, there is nothing that a bus could come out of.
    if (found.pwm.length === 0) problems.push(note('pwm', noPwm, ''));
    if (found.spi.length === 0) problems.push(note('spi', noSpi, ''));
    if (found.i2c.length === 0 && !isNamed('i2c')) problems.push(note('i2c', noI2c, ''));
  }
  return problems;
}

const noPwm =
  'There is no pwmchip: PWM is made by software, on any line; for PWM by hardware enable it in the device tree of the board.';
const noSpi =
  'There is no /dev/spidev*: enable SPI in the device tree of the board and bind the spidev driver to its chip selects.';
const noI2c = 'There is no /dev/i2c-*: enable an I2C bus in the device tree of the board and load the module i2c-dev.';

function note(area: HardwareArea, message: string, command: string): HardwareProblem {
  return { area, device: '', severity: 'note', message, command };
}

/** What the kernel has and `/dev` has not: in a container, or with a module that is not loaded. */
function hiddenDevices(found: FoundPaths, files: DeviceFiles): HardwareProblem[] {
  const problems: HardwareProblem[] = [];
  for (const name of files.names('/sys/bus/gpio/devices').filter((one) => one.startsWith('gpiochip'))) {
    const device = `/dev/${name}`;
    if (found.gpio.includes(device)) continue;
    problems.push({
      area: 'gpio',
      device,
      severity: 'error',
      message: `${device} does not exist here, but the kernel has the chip: a container has to be started with --device ${device}; elsewhere the kernel needs CONFIG_GPIO_CDEV.`,
      command: '',
    });
  }
  const buses = files.names('/sys/bus/i2c/devices').filter((name) => name.startsWith('i2c-'));
  if (buses.length > 0 && found.i2c.length === 0) {
    const command = 'sudo modprobe i2c-dev';
    problems.push(
      note(
        'i2c',
        `The kernel has ${buses.join(', ')}, but there is no /dev/i2c-*: load its driver (${command}).`,
        command,
      ),
    );
  }
  return problems;
}

function noGpio(computer: string, files: DeviceFiles): HardwareProblem {
  if (files.exists('/proc/device-tree')) {
    const name = computer === '' ? 'This computer' : computer;
    return note(
      'gpio',
      `${name} has no /dev/gpiochip*: use a kernel with the driver of its pins and CONFIG_GPIO_CDEV.`,
      '',
    );
  }
  return note(
    'gpio',
    'This computer has no GPIO, as is usual for a PC: plug in an adapter for which the kernel has a GPIO driver (USB: CP2112, MCP2221), or try things without wires with the option -simulate-hardware of the server.',
    '',
  );
}

function noPiPwm(files: DeviceFiles): HardwareProblem {
  const line = 'dtoverlay=pwm-2chan';
  const command = `echo '${line}' | sudo tee -a ${piSettings(files)}`;
  return note(
    'pwm',
    `There is no pwmchip, and PWM is made by software: for two channels of hardware add the line ${line} to ${piSettings(files)} and restart the computer.`,
    command,
  );
}

function noPiBus(area: 'spi' | 'i2c', files: DeviceFiles): HardwareProblem {
  const [device, title, setting] =
    area === 'spi' ? ['/dev/spidev0.0', 'SPI', 'dtparam=spi=on'] : ['/dev/i2c-1', 'I2C', 'dtparam=i2c_arm=on'];
  if (files.exists('/usr/bin/raspi-config')) {
    const command = `sudo raspi-config nonint do_${area} 0`;
    return note(area, `${device} does not exist: enable ${title} with raspi-config (${command}).`, command);
  }
  const command = `echo '${setting}' | sudo tee -a ${piSettings(files)}`;
  return note(
    area,
    `${device} does not exist: enable ${title} with the line ${setting} in ${piSettings(files)} and restart the computer.`,
    command,
  );
}

function piSettings(files: DeviceFiles): string {
  return files.exists('/boot/firmware/config.txt') ? '/boot/firmware/config.txt' : '/boot/config.txt';
}
