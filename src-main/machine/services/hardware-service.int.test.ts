import { afterEach, describe, expect, it } from 'vitest';
import { ComputerHardware } from '../../hardware/computer-hardware.ts';
import {
  DiscoverResponse_Backend,
  Line_Bias,
  Line_Drive,
  type DiscoverResponse,
} from '../../../proto/gen/core/hardware/v1/hardware.ts';
import { hardwareService } from './hardware-service.ts';
import { cancellableCall } from './streaming-call.fixture.ts';

const hardware = new ComputerHardware('sim');
const reason = await hardware.missingReason();

describe.skipIf(reason !== undefined)('core.hardware.v1.HardwareService', () => {
  afterEach(() => hardware.close());
  async function discover(): Promise<DiscoverResponse> {
    const found = await hardwareService(hardware).discover?.({}, cancellableCall().call);
    if (found === undefined) throw new Error('there is no such method');
    return found;
  }

  it('says who holds a line, and how, and holds none itself', async () => {
    const computer = await hardware.open();
    const line = computer.openLine({
      chip: '/dev/gpiochip1',
      offset: 3,
      consumer: 'armature bench',
      bias: 'pull-up',
      drive: 'open-drain',
      isActiveLow: true,
    });
    line.write(true);
    const { backend, gpioChips, pwmChips, spiDevices, i2cBuses, problems, limits } = await discover();
    expect(backend).toBe(DiscoverResponse_Backend.SIMULATED);
    expect(gpioChips.map(({ path, id, isUsable }) => [path, id, isUsable])).toEqual([
      ['/dev/gpiochip0', '/sys/devices/sim/0', true],
      ['/dev/gpiochip1', '/sys/devices/sim/1', true],
    ]);
    const held = gpioChips.flatMap(({ name, lines }) => lines.filter(({ isUsed }) => isUsed).map((one) => [name, one]));
    expect(held).toEqual([
      [
        'gpiochip1',
        {
          offset: 3,
          name: 'SIM3',
          headerPin: '',
          isUsed: true,
          holder: 'armature bench',
          isOutput: true,
          isActiveLow: true,
          bias: Line_Bias.PULL_UP,
          drive: Line_Drive.OPEN_DRAIN,
        },
      ],
    ]);
    expect(pwmChips).toEqual([
      {
        path: '/sys/class/pwm/pwmchip0',
        id: '/sys/devices/sim/pwm',
        channels: 4,
        name: '',
        hasOneClock: false,
        isUsable: true,
      },
    ]);
    expect(spiDevices.map(({ path }) => path)).toContain('/dev/spidev0.0');
    expect(i2cBuses.map(({ path }) => path)).toEqual(['/dev/i2c-1']);
    expect(limits?.pwmHz).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  it('forgets what was unplugged', async () => {
    const { sim } = await hardware.open();
    sim?.unplug('/dev/gpiochip0');
    sim?.unplug('/dev/spidev0.0');
    const { gpioChips, spiDevices } = await discover();
    expect(gpioChips.map(({ name }) => name)).toEqual(['gpiochip1']);
    expect(spiDevices.map(({ path }) => path)).not.toContain('/dev/spidev0.0');
  });
});
