/** Kinds of hardware that a field of a board names and that can be discovered. */
export const hardwareInputs = [
  'gpio-chip',
  'gpio-line',
  'pwm-chip',
  'pwm-channel',
  'converter-bus',
  'converter-select',
] as const;
export type HardwareInput = (typeof hardwareInputs)[number];
