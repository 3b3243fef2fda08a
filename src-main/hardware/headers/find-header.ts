import { readFileSync } from 'node:fs';
import type { ComputerIdentity, Header } from './header.ts';
import { jetsonOrinNano } from './jetson-orin-nano.ts';
import { raspberryPi } from './raspberry-pi.ts';

export const headers: readonly Header[] = [raspberryPi, jetsonOrinNano];

/** What this computer says it is: its device tree, else the DMI of a PC. */
export function computerIdentity(root = ''): ComputerIdentity {
  const tree = (name: string) => textOf(`${root}/proc/device-tree/${name}`);
  const model = tree('model').replace(/\0/g, '') || textOf(`${root}/sys/class/dmi/id/board_name`).trim();
  return { model, compatible: tree('compatible').split('\0').filter(Boolean) };
}

/** '' for a file that is not there: no computer has all of them. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The header of a board.
 * @param name as its attributes have it; undefined: the one that the computer has
 * @returns undefined for `none`, and for a computer whose header is not known
 */
export function findHeader(name: string | undefined, computer: ComputerIdentity): Header | undefined {
  return headers.find((header) => (name === undefined ? header.isOn(computer) : header.name === name));
}
