/** A simulated computer with boards of model `linux`, for tests beside this file. */
import { setTimeout } from 'node:timers/promises';
import type { LinuxBoard } from '../linux-board.ts';
import { TestBench } from '../../bench.fixture.ts';
import type { Clock } from '../../../../base/clock.ts';
import { ComputerHardware } from '../../../../hardware/computer-hardware.ts';
import type { Hardware, SimWorld } from '../../../../hardware/hardware-types.ts';
import type { LinuxBoardAttributes } from '../attributes.ts';

/** Whether the addon was not built here: then nothing can be simulated. */
export const hardwareIsMissing = (await new ComputerHardware('sim').missingReason()) !== undefined;

export const chip0 = '/dev/gpiochip0';
export const chip1 = '/dev/gpiochip1';
export const pwmChip = '/sys/class/pwm/pwmchip0';

export class SimBench extends TestBench {
  readonly computer: ComputerHardware;
  readonly hardware: Hardware;
  readonly #boards: LinuxBoard[] = [];

  /** @param clock for the models; a clock that is moved by hand if absent */
  static async open(clock?: Clock): Promise<SimBench> {
    const computer = new ComputerHardware('sim');
    return new SimBench(computer, await computer.open(), clock);
  }

  private constructor(computer: ComputerHardware, hardware: Hardware, clock: Clock | undefined) {
    super(computer, clock);
    this.computer = computer;
    this.hardware = hardware;
  }

  get sim(): SimWorld {
    if (this.hardware.sim === undefined) throw new Error('no simulated computer');
    return this.hardware.sim;
  }

  async linux(attributes: LinuxBoardAttributes = {}, name = 'b'): Promise<LinuxBoard> {
    const board = await this.build<LinuxBoard>('core:component:board', 'linux', name, { chip: 'sim-0', ...attributes });
    this.#boards.push(board);
    return board;
  }

  async close(): Promise<void> {
    for (const board of this.#boards) await board.close();
    await this.computer.close();
  }
}

/** Waits for work of the addon's threads. The test's time limit applies. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(1);
}

/** Code and message of what a call throws. */
export async function failureOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (thrown) {
    const { code, message } = thrown as { code?: string; message: string };
    return `${code ?? ''}: ${message}`;
  }
  return 'no failure';
}
