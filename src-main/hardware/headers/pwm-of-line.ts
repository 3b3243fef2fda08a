import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Header } from './header.ts';
import type { GpioChip, PwmChip } from '../hardware-types.ts';

/** A channel of a PWM chip, by the id of the chip. */
export interface PwmChannel {
  readonly chip: string;
  readonly channel: number;
}

/**
 * The PWM channel that comes out at a line of a header. That a PWM chip is there says nothing of it: its device tree node
 * names the pins that were given to it (`pinctrl-0`), and those pins say which lines they are (`brcm,pins`, or `pins`).
 * @param chips those that are there now
 * @param root where `sys` is; the root of the file system where absent
 */
export function pwmOfLine(
  header: Header,
  gpioChip: GpioChip,
  offset: number,
  chips: readonly PwmChip[],
  root = '',
): PwmChannel | undefined {
  if (!header.chipLabels.includes(gpioChip.label)) return undefined;
  for (const chip of chips) {
    const node = `${chip.path}/device/of_node`;
    const channels = textsIn(`${node}/compatible`).flatMap((name) => header.pwmChannels.get(name) ?? [])[0];
    const channel = channels?.get(offset);
    if (channel === undefined) continue;
    const given = new Set(numbersIn(`${node}/pinctrl-0`));
    const controller = `${root}/sys/bus/gpio/devices/${gpioChip.name}/of_node`;
    if (givenLines(controller, given).includes(offset)) return { chip: chip.id, channel };
  }
  return undefined;
}

/** Offsets of the pins of a controller whose handles are given. */
function givenLines(controller: string, handles: ReadonlySet<number>): readonly number[] {
  const given = foldersIn(controller).filter((node) => numbersIn(`${node}/phandle`).some((one) => handles.has(one)));
  // Pins that are given as a group are its children.
  return given.flatMap((node) => [node, ...foldersIn(node)]).flatMap(linesOf);
}

function linesOf(node: string): readonly number[] {
  const named = textsIn(`${node}/pins`).flatMap((name) => /^gpio(\d+)$/.exec(name)?.[1] ?? []);
  return [...numbersIn(`${node}/brcm,pins`), ...named.map(Number)];
}

/** Cells of a property: big-endian words (Devicetree Specification, 2.2.4). None where it is not there. */
function numbersIn(file: string): readonly number[] {
  const bytes = contentOf(file);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32BE(4 * index));
}

function textsIn(file: string): readonly string[] {
  return contentOf(file).toString('utf8').split('\0').filter(Boolean);
}

/** Nothing where the computer has no such property: most have none of them. */
function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    const real = realpathSync(folder);
    return readdirSync(real, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(real, entry.name));
  } catch {
    return [];
  }
}
