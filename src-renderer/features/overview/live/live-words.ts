import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { decimalsFor, formatFixed, formatNumber, withUnit } from '../../../shared/format-number.ts';
import { stateName } from '../../../shared/machine/rpc/status-merge.ts';
import type { Text } from '../../../shared/text.ts';
import type { ResourceValues } from '../../../shared/live/live-values.ts';
import { numberWords } from '../../../shared/live/value-words.ts';
import { unitOf } from '../../../shared/live/units.ts';

/** A second reading of a sensor is shown where both have room in a node. */
const MAX_READINGS_LENGTH = 17;

/**
 * The line below the name of a node: what the resource does now, why it failed, or its state.
 * @param pins those of a board that are counted
 */
export function liveWords(resource: Resource, values: ResourceValues, pins: readonly string[], t: Text): string {
  const { state, api } = resource;
  const own = t(`state.kinds.${stateName(state)}`);
  if (state === Resource_State.FAILED) return resource.reason === '' ? own : resource.reason;
  if (state !== Resource_State.READY) return own;
  if (values.error !== '' && isUnknown(values)) return t('overview.live.noValue');
  const number = (key: string): number | undefined => values.numbers.get(key);
  switch (api) {
    case 'core:component:motor':
      return motorWords(values, t) ?? own;
    case 'core:component:encoder':
    case 'core:component:servo':
      return number('position') === undefined ? own : numberWords(api, 'position', values, t);
    case 'core:component:power_sensor':
      return (
        ['volts', 'amperes']
          .filter((key) => number(key) !== undefined)
          .map((key) => numberWords(api, key, values, t))
          .join(', ') || own
      );
    case 'core:component:sensor':
      return values.rows.length === 0 ? own : readingWords(values);
    case 'core:component:board':
      return boardWords(values, pins, t) ?? own;
    default:
      return own;
  }
}

function isUnknown({ numbers, rows, levels, isMoving }: ResourceValues): boolean {
  return numbers.size === 0 && rows.length === 0 && levels.size === 0 && isMoving === undefined;
}

function motorWords({ isMoving, numbers }: ResourceValues, t: Text): string | undefined {
  const rpm = numbers.get('speed');
  if (isMoving === false) return t('overview.live.still');
  if (isMoving === undefined) return undefined;
  return rpm === undefined || Math.abs(rpm) < 0.5
    ? t('overview.live.moving')
    : withUnit(formatFixed(rpm, 0), t('live.units.rpm'));
}

function readingWords({ rows }: ResourceValues): string {
  const [first = '', second] = rows.slice(0, 2).map(({ name, value }) => {
    const { name: what, unit } = unitOf(name);
    const text = typeof value === 'number' ? formatNumber(value, Math.min(decimalsFor(value), 2)) : String(value);
    return [what, withUnit(text, unit)].filter((part) => part !== '').join(' ');
  });
  const both = `${first}, ${second ?? ''}`;
  return second !== undefined && both.length <= MAX_READINGS_LENGTH ? both : first;
}

function boardWords({ levels }: ResourceValues, pins: readonly string[], t: Text): string | undefined {
  const read = pins.filter((pin) => levels.has(pin));
  if (read.length === 0) return undefined;
  const high = read.filter((pin) => levels.get(pin) === true).length;
  return t('overview.live.pinsHigh', { count: read.length, high });
}

/** The value of a resource that its node pins; undefined for none. */
export function mainValue(api: string, values: ResourceValues, analogs: readonly string[]): string | undefined {
  switch (api) {
    case 'core:component:motor':
      // A motor may not know its position, and then not its speed.
      return values.numbers.has('speed') ? 'speed' : 'power';
    case 'core:component:encoder':
    case 'core:component:servo':
      return 'position';
    case 'core:component:power_sensor':
      return 'volts';
    case 'core:component:sensor':
      return [...values.numbers.keys()][0];
    case 'core:component:board':
      return analogs[0] === undefined ? undefined : `analog/${analogs[0]}`;
    default:
      return undefined;
  }
}
