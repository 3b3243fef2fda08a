import { LinuxBoard } from './linux-board.ts';
import type { BuildContext, BuiltResource } from '../model.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import { hardwareErrorOf } from '../../../hardware/hardware-error.ts';
import type { ComputerHardware } from '../../../hardware/computer-hardware.ts';
import { computerIdentity, findHeader } from '../../../hardware/headers/find-header.ts';
import { pwmOfLine } from '../../../hardware/headers/pwm-of-line.ts';
import type { LinuxBoardAttributes } from '../../../../proto/config/models/board-linux.ts';

/** Builder of boards on the wires of a computer. */
export function buildOn(hardware: ComputerHardware): (context: BuildContext<JsonObject>) => Promise<BuiltResource> {
  return async ({ name, attributes: given, clock, logger }) => {
    const attributes = given as unknown as LinuxBoardAttributes;
    // A simulated computer is no Raspberry Pi, even if it runs on one.
    const computer = hardware.backend === 'linux' ? computerIdentity() : { model: '', compatible: [] };
    const header = findHeader(attributes.header, computer);
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
  };
}
