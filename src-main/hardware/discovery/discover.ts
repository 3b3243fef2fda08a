import type { GpioChip, Hardware } from '../../../native/index.js';
import { toArmatureError } from '../../base/errors.ts';
import type { ComputerHardware } from '../computer-hardware.ts';
import { hardwareError } from '../hardware-error.ts';
import { missingHardware, type FoundPaths } from './missing-hardware.ts';
import type { Header } from '../headers/header.ts';
import { computerModel, headerOf } from './computer-model.ts';
import type {
  FoundDevice,
  FoundGpioChip,
  FoundPwmChip,
  HardwareArea,
  HardwareDescription,
  HardwareLimits,
  HardwareProblem,
} from './description.ts';
import { deviceFiles, type DeviceFiles } from './device-files.ts';
import { hasOneClock } from './one-clock.ts';
import { permissionProblem } from './permission.ts';

/** The part of {@link ComputerHardware} that is needed here. */
export type DiscoveredHardware = Pick<ComputerHardware, 'backend' | 'open' | 'missingReason'>;

/**
 * What the computer has for wires, and what it has not. Lists only: no line is requested, no channel exported, no bus
 * spoken to, so whoever drives them is not disturbed. What may not be opened is listed, with the reason. Never rejects.
 */
export async function discoverHardware(
  hardware: DiscoveredHardware,
  files: DeviceFiles = deviceFiles,
): Promise<HardwareDescription> {
  return hardware.backend === 'sim' ? discoverSimulated(hardware) : discoverLinux(hardware, files);
}

async function discoverLinux(hardware: DiscoveredHardware, files: DeviceFiles): Promise<HardwareDescription> {
  const found = pathsOf(files);
  const computer = computerModel(files);
  const header = headerOf(files);
  const problems: HardwareProblem[] = [];
  const missing = await hardware.missingReason();
  if (missing !== undefined) {
    const severity = files.platform === 'linux' ? 'error' : 'note';
    problems.push({ area: 'addon', device: '', severity, message: missing, command: '' });
  }
  const isPermitted = (area: 'gpio' | 'pwm' | 'spi' | 'i2c', device: string, checked = device): boolean => {
    const refusal = files.refusal(checked);
    if (refusal !== undefined) problems.push(permissionProblem(area, device, refusal, files));
    return refusal === undefined;
  };
  const usable = new Set([
    ...found.gpio.filter((device) => isPermitted('gpio', device)),
    // What decides is whether a channel may be asked for.
    ...found.pwm.filter((device) => isPermitted('pwm', device, `${device}/export`)),
    ...found.spi.filter((device) => isPermitted('spi', device)),
    ...found.i2c.filter((device) => isPermitted('i2c', device)),
  ]);
  // Opening it starts threads and the guardian: not on a computer that has nothing for them.
  const isWanted = missing === undefined && found.gpio.length + found.pwm.length > 0;
  const open = isWanted ? await opened(hardware, problems) : undefined;
  if (files.platform === 'linux') problems.push(...missingHardware(found, computer, files));
  return {
    backend: 'linux',
    computer,
    header: header && { name: header.name, title: header.title },
    gpioChips:
      open === undefined ? closedChips(found.gpio) : chipsOf(open, problems, header, (path) => usable.has(path)),
    pwmChips: found.pwm.map((path) => pwmChipAt(path, usable.has(path), files)),
    spiDevices: found.spi.map((path) => ({ path, label: files.text(spiName(path)), isUsable: usable.has(path) })),
    i2cBuses: found.i2c.map((path) => ({ path, label: files.text(i2cName(path)), isUsable: usable.has(path) })),
    limits: limitsOf(open, files, problems),
    problems,
  };
}

async function discoverSimulated(hardware: DiscoveredHardware): Promise<HardwareDescription> {
  const problems: HardwareProblem[] = [];
  const open = await opened(hardware, problems);
  const devices = (paths: readonly string[] = []): FoundDevice[] =>
    paths.map((path) => ({ path, label: '', isUsable: true }));
  return {
    backend: 'sim',
    computer: 'Simulated computer',
    header: undefined,
    gpioChips: open === undefined ? [] : chipsOf(open, problems, undefined, () => true),
    pwmChips:
      open?.pwmChips().map((chip): FoundPwmChip => ({ ...chip, hasOneClock: hasOneClock(chip), isUsable: true })) ?? [],
    spiDevices: devices(open?.spiDevices()),
    i2cBuses: devices(open?.i2cBuses()),
    limits: open === undefined ? undefined : rated(open),
    problems,
  };
}

function pathsOf(files: DeviceFiles): FoundPaths {
  const paths = (folder: string, form: RegExp): string[] =>
    files
      .names(folder)
      .filter((name) => form.test(name))
      .map((name) => `${folder}/${name}`);
  return {
    gpio: paths('/dev', /^gpiochip\d+$/),
    pwm: paths('/sys/class/pwm', /^pwmchip\d+$/),
    spi: paths('/dev', /^spidev\d+\.\d+$/),
    i2c: paths('/dev', /^i2c-\d+$/),
  };
}

async function opened(hardware: DiscoveredHardware, problems: HardwareProblem[]): Promise<Hardware | undefined> {
  try {
    return await hardware.open();
  } catch (thrown) {
    problems.push(failure('addon', '', toArmatureError(thrown).message));
    return undefined;
  }
}

function failure(area: HardwareArea, device: string, message: string): HardwareProblem {
  return { area, device, severity: 'error', message: message.endsWith('.') ? message : `${message}.`, command: '' };
}

/** Without the addon nothing is known but that they are there. */
function closedChips(paths: readonly string[]): FoundGpioChip[] {
  return paths.map((path) => ({ path, name: nameOf(path), label: '', id: path, isUsable: false, lines: [] }));
}

function chipsOf(
  open: Hardware,
  problems: HardwareProblem[],
  header: Header | undefined,
  isPermitted: (path: string) => boolean,
): FoundGpioChip[] {
  const chips = open.gpioChips();
  const ofHeader = chips.find(({ label }) => header?.chipLabels.includes(label) === true);
  return chips.map((chip) => {
    const pins = chip === ofHeader ? pinsByOffset(header) : new Map<number, string>();
    const closed = { ...withoutCount(chip), isUsable: false, lines: [] };
    if (!isPermitted(chip.path)) return closed;
    try {
      const lines = open
        .gpioLines(chip.path)
        .map(({ consumer, ...line }) => ({ ...line, headerPin: pins.get(line.offset) ?? '', holder: consumer }));
      return { ...closed, isUsable: true, lines };
    } catch (thrown) {
      problems.push(failure('gpio', chip.path, hardwareError(thrown).message));
      return closed;
    }
  });
}

function pinsByOffset(header: Header | undefined): ReadonlyMap<number, string> {
  const pins = [...(header?.pins ?? [])];
  return new Map(pins.flatMap(([name, pin]) => ('offset' in pin ? [[pin.offset, name] as const] : [])));
}

function withoutCount({ path, name, label, id }: GpioChip): Pick<FoundGpioChip, 'path' | 'name' | 'label' | 'id'> {
  return { path, name, label, id };
}

function pwmChipAt(path: string, isUsable: boolean, files: DeviceFiles): FoundPwmChip {
  const device = files.target(`${path}/device`);
  const name = files.text(`${path}/device/name`);
  return {
    path,
    id: device === '' ? path : device,
    name,
    channels: Number(files.text(`${path}/npwm`)) || 0,
    hasOneClock: hasOneClock({ path, name }, files),
    isUsable,
  };
}

function limitsOf(
  open: Hardware | undefined,
  files: DeviceFiles,
  problems: HardwareProblem[],
): HardwareLimits | undefined {
  if (open === undefined) return undefined;
  const { pwmHz, isRealTime, reason } = open.limits();
  if (!isRealTime) {
    const command = `echo "${files.user} - rtprio 60" | sudo tee /etc/security/limits.d/armature.conf`;
    const message = `Software PWM goes up to ${pwmHz} Hz and may jitter beside other programs: ${reason}; then sign in again.`;
    problems.push({ area: 'limits', device: '', severity: 'note', message, command });
  }
  return rated(open);
}

function rated(open: Hardware): HardwareLimits {
  const { pwmHz, isRealTime } = open.limits();
  return { pwmHz, isRealTime };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const spiName = (path: string): string => `/sys/bus/spi/devices/${nameOf(path).replace('spidev', 'spi')}/modalias`;
const i2cName = (path: string): string => `/sys/class/i2c-dev/${nameOf(path)}/name`;
