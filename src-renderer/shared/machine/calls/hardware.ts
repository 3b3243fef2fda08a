import {
  DiscoverResponse_Backend,
  HardwareServiceDefinition,
  Problem_Area,
  Problem_Severity,
  type DiscoverResponse,
  type Problem,
} from '../../../../proto/gen/core/hardware/v1/hardware.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { HardwareArea, HardwareProblemView, HardwareView } from '../hardware-view.ts';
import type { HardwareCalls } from '../machine.ts';
import { quick } from './call-options.ts';

const areas: Readonly<Record<number, HardwareArea>> = {
  [Problem_Area.ADDON]: 'addon',
  [Problem_Area.GPIO]: 'gpio',
  [Problem_Area.PWM]: 'pwm',
  [Problem_Area.SPI]: 'spi',
  [Problem_Area.I2C]: 'i2c',
  [Problem_Area.LIMITS]: 'limits',
};

export function hardwareCalls(link: Channel): HardwareCalls {
  const client = createClient(HardwareServiceDefinition, link);
  return { discover: async () => hardwareFrom(await client.discover({}, quick)) };
}

function hardwareFrom(found: DiscoverResponse): HardwareView {
  const problems = found.problems.map(problemFrom);
  return {
    isSimulated: found.backend === DiscoverResponse_Backend.SIMULATED,
    computer: found.computer,
    header: found.header,
    gpioChips: found.gpioChips,
    pwmChips: found.pwmChips,
    spiDevices: found.spiDevices,
    i2cBuses: found.i2cBuses,
    limits: found.limits,
    problems: [...problems.filter(isError), ...problems.filter((problem) => !isError(problem))],
  };
}

const isError = ({ severity }: HardwareProblemView): boolean => severity === 'error';

function problemFrom({ severity, area, device, message, command }: Problem): HardwareProblemView {
  const isBad = severity === Problem_Severity.ERROR;
  return { severity: isBad ? 'error' : 'note', area: areas[area] ?? 'other', device, message, command };
}
