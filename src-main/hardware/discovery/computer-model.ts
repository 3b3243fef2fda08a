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

export const isRaspberryPi = (model: string): boolean => model.startsWith('Raspberry Pi');
