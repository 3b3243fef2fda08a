import { LinuxBoard } from './linux-board.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { hardwareErrorOf } from '../../../hardware/hardware-error.ts';
import { computerIdentity, findHeader } from '../../../hardware/headers/find-header.ts';
import type { Header } from '../../../hardware/headers/header.ts';
import { pwmOfLine } from '../../../hardware/headers/pwm-of-line.ts';
import { raspberryPi } from '../../../hardware/headers/raspberry-pi.ts';
import type { LinuxBoardAttributes } from './attributes.ts';

/** Label of the first GPIO chip of the simulated computer (`native/src/sim`). */
const SIMULATED_CHIP = 'sim-0';

export async function build(context: BuildContext<LinuxBoardAttributes>): Promise<BuiltResource> {
  const { name, attributes, hardware, clock, logger } = context;
  const header =
    hardware.backend === 'linux' ? findHeader(attributes.header, computerIdentity()) : simulatedHeader(attributes);
  const addon = await hardware.open().catch((thrown: unknown) => {
    throw hardwareErrorOf(`Board "${name}"`, thrown);
  });
  const isReal = hardware.backend === 'linux' && header !== undefined;
  const board = new LinuxBoard({
    name,
    attributes,
    header,
    hardware: addon,
    clock,
    logger,
    ...(isReal ? { pwmOf: (chip, offset) => pwmOfLine(header, chip, offset, addon.pwmChips()) } : {}),
  });
  board.start();
  return board;
}

/**
 * The header of the simulated computer: the configured one, otherwise that of a Raspberry Pi, so that a configuration
 * for a Pi can be tried unchanged. On a board with its own `chip`, names mean lines of that chip.
 */
function simulatedHeader({ header: name, chip }: LinuxBoardAttributes): Header | undefined {
  if (name === undefined && chip !== undefined) return undefined;
  const header = findHeader(name ?? raspberryPi.name, { model: '', compatible: [] });
  return header && { ...header, chipLabels: [SIMULATED_CHIP] };
}
