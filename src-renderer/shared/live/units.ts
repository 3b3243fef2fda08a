/** Units by the last word of a reading's name. Readings have no unit of their own, so nothing else is guessed. */
const units: Readonly<Record<string, string>> = {
  celsius: '°C',
  fahrenheit: '°F',
  kelvin: 'K',
  percent: '%',
  pct: '%',
  volts: 'V',
  amperes: 'A',
  amps: 'A',
  watts: 'W',
  hertz: 'Hz',
  hz: 'Hz',
  rpm: 'rpm',
  degrees: '°',
  meters: 'm',
  mm: 'mm',
  seconds: 's',
  pascal: 'Pa',
  hpa: 'hPa',
  bar: 'bar',
  lux: 'lx',
  ppm: 'ppm',
};

/** A reading's name without its unit, and the unit: `water_celsius` is `water` in °C, `celsius` is `` in °C. */
export function unitOf(name: string): { readonly name: string; readonly unit: string } {
  const [, rest = '', last = ''] = /^(?:(.*)[_. -])?([^_. -]+)$/.exec(name) ?? [];
  const unit = Object.hasOwn(units, last.toLowerCase()) ? units[last.toLowerCase()] : undefined;
  return unit === undefined ? { name, unit: '' } : { name: rest.replaceAll('_', ' '), unit };
}
