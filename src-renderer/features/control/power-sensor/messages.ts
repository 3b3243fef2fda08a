/** Sentences of this folder alone. */
export const powerSensorMessages = {
  power: {
    voltage: 'voltage',
    current: 'current',
    power: 'power',
    alternating: 'AC',
    alternatingHint: 'Alternating current: values are RMS.',
    plot: 'Voltage, current and power of {name}',
  },
} as const;
