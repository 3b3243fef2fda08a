import { findHeader } from '../headers/find-header.ts';
import type { Header } from '../headers/header.ts';
import type { DeviceFiles } from './device-files.ts';

/** What firmware says of itself where nobody filled it in. */
const placeholders = new Set([
  '',
  'System manufacturer',
  'System Product Name',
  'To be filled by O.E.M.',
  'Default string',
]);

/** What kind of computer this is: device tree of a single-board computer, DMI of a PC; '' where neither says. */
export function computerModel(files: DeviceFiles): string {
  const tree = files.text('/proc/device-tree/model');
  if (tree !== '') return tree;
  const dmi = ['sys_vendor', 'product_name'].map((name) => files.text(`/sys/class/dmi/id/${name}`));
  return dmi.filter((text) => !placeholders.has(text)).join(' ');
}

/** The header that a computer of this kind has, where there is a table of it. */
export function headerOf(files: DeviceFiles): Header | undefined {
  const model = files.text('/proc/device-tree/model') || files.text('/sys/class/dmi/id/board_name');
  return findHeader(undefined, { model, compatible: files.text('/proc/device-tree/compatible').split('\0') });
}

export const isRaspberryPi = (model: string): boolean => model.startsWith('Raspberry Pi');
