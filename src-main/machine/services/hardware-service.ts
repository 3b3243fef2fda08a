import type {
  FoundGpioChip,
  FoundLine,
  HardwareDescription,
  HardwareProblem,
} from '../../hardware/discovery/description.ts';
import { discoverHardware, type DiscoveredHardware } from '../../hardware/discovery/discover.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import {
  DiscoverResponse_Backend,
  Line_Bias,
  Line_Drive,
  Problem_Area,
  Problem_Severity,
  type DiscoverResponse,
  type GpioChip,
  type HardwareServiceDefinition,
  type Problem,
} from '../../../proto/gen/core/hardware/v1/hardware.ts';

const wireBias: Readonly<Record<FoundLine['bias'], Line_Bias>> = {
  'as-is': Line_Bias.AS_IS,
  disabled: Line_Bias.DISABLED,
  'pull-up': Line_Bias.PULL_UP,
  'pull-down': Line_Bias.PULL_DOWN,
};
const wireDrive: Readonly<Record<FoundLine['drive'], Line_Drive>> = {
  'push-pull': Line_Drive.PUSH_PULL,
  'open-drain': Line_Drive.OPEN_DRAIN,
  'open-source': Line_Drive.OPEN_SOURCE,
};
const wireArea: Readonly<Record<HardwareProblem['area'], Problem_Area>> = {
  addon: Problem_Area.ADDON,
  gpio: Problem_Area.GPIO,
  pwm: Problem_Area.PWM,
  spi: Problem_Area.SPI,
  i2c: Problem_Area.I2C,
  limits: Problem_Area.LIMITS,
};

/** core.hardware.v1.HardwareService: what `armature doctor` prints, for the window. */
export function hardwareService(hardware: DiscoveredHardware): ServiceHandlers<typeof HardwareServiceDefinition> {
  return { discover: async () => toWire(await discoverHardware(hardware)) };
}

function toWire(found: HardwareDescription): DiscoverResponse {
  return {
    backend: found.backend === 'sim' ? DiscoverResponse_Backend.SIMULATED : DiscoverResponse_Backend.LINUX,
    computer: found.computer,
    header: found.header,
    gpioChips: found.gpioChips.map(toWireChip),
    pwmChips: [...found.pwmChips],
    spiDevices: [...found.spiDevices],
    i2cBuses: [...found.i2cBuses],
    limits: found.limits,
    problems: found.problems.map(toWireProblem),
  };
}

function toWireChip({ lines, ...chip }: FoundGpioChip): GpioChip {
  return {
    ...chip,
    lines: lines.map((line) => ({ ...line, bias: wireBias[line.bias], drive: wireDrive[line.drive] })),
  };
}

function toWireProblem({ severity, area, ...problem }: HardwareProblem): Problem {
  return {
    ...problem,
    severity: severity === 'error' ? Problem_Severity.ERROR : Problem_Severity.NOTE,
    area: wireArea[area],
  };
}
