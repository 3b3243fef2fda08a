import type { ResourceView, WatchRequest, WatchValue } from '../../../shared/machine/machine-view.ts';
import { subtypeOf } from '../../../shared/machine/status-merge.ts';

/** Slow: a glance beside the form, not a plot. */
const frequencyHz = 2;
/** More than this are not polled; Control has them all. */
export const mostShown = 4;

/** What to poll of a resource for a glance at it. `attributes` are those of the applied configuration. */
export function liveRequests(
  { fullName, api, state }: ResourceView,
  attributes: Readonly<Record<string, unknown>>,
): readonly WatchRequest[] {
  if (state !== 'ready') return [];
  const of = (method: WatchRequest['method'], part = ''): WatchRequest => ({
    id: `${fullName} ${method} ${part}`,
    resource: fullName,
    method,
    part,
    frequencyHz,
  });
  switch (subtypeOf(api)) {
    case 'motor':
      return [of('motor.IsPowered'), of('motor.GetPosition')];
    case 'encoder':
      return [of('encoder.GetPosition')];
    case 'sensor':
      return [of('sensor.GetReadings')];
    case 'board':
      return [
        ...namesIn(attributes['analogs']).map((name) => of('board.ReadAnalogReader', name)),
        ...namesIn(attributes['digital_interrupts']).map((name) => of('board.GetDigitalInterruptValue', name)),
      ].slice(0, mostShown);
    default:
      return [];
  }
}

/** One value with its unit, as it is shown. */
export interface LiveValue {
  /** `power`, `position`, or a name that the machine gave. */
  readonly name: string;
  readonly value: string;
  readonly unit: 'revolutions' | 'ticks' | 'degrees' | '';
}

/** The values of one answer. Of a sensor the plain ones; what is inside of others Control shows. */
export function liveValues({ method, part }: WatchRequest, value: WatchValue): readonly LiveValue[] {
  if (value.power !== undefined) return [{ name: 'power', value: decimals(value.power, 2), unit: '' }];
  if (value.position !== undefined) {
    const unit = method === 'motor.GetPosition' ? 'revolutions' : (value.unit ?? 'ticks');
    return [{ name: 'position', value: decimals(value.position, 1), unit }];
  }
  if (value.value !== undefined) return [{ name: part, value: String(value.value), unit: '' }];
  return Object.entries(value.readings ?? {})
    .flatMap(([name, reading]) => {
      if (typeof reading === 'number') return [{ name, value: decimals(reading, 2), unit: '' as const }];
      return typeof reading === 'string' || typeof reading === 'boolean'
        ? [{ name, value: String(reading), unit: '' as const }]
        : [];
    })
    .slice(0, mostShown);
}

/** A true minus sign; no minus before a zero. */
function decimals(value: number, digits: number): string {
  return value
    .toFixed(digits)
    .replace(/^-(?=0(\.0*)?$)/, '')
    .replace('-', '−');
}

function namesIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((part: unknown) => {
    const name = typeof part === 'object' && part !== null && 'name' in part ? part.name : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}
