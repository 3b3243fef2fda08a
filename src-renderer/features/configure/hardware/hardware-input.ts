/** What a field of a board of the computer names, where that is something that can be found. */
export const hardwareInputs = [
  'gpio-chip',
  'gpio-line',
  'pwm-chip',
  'pwm-channel',
  'converter-bus',
  'converter-select',
] as const;
export type HardwareInput = (typeof hardwareInputs)[number];
