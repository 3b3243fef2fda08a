import type { PickOption } from '../../../../shared/components/popups/pick-options.ts';
import type { Text } from '../../../../shared/text.ts';

export type Readings = Readonly<Record<string, unknown>>;

/** The readings to pick from: booleans first, since only they can allow maintenance. */
export function readingOptions(readings: Readings, text: Text): readonly PickOption[] {
  const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
  return Object.entries(readings)
    .map(([name, value]) => ({
      isOffered: isBoolean(value),
      option: {
        value: name,
        label: name,
        detail: text(isBoolean(value) ? 'form.reading.now' : 'form.reading.notBoolean', { value: shown(value) }),
      },
    }))
    .sort((a, b) => Number(b.isOffered) - Number(a.isOffered))
    .map(({ option }) => option);
}

/** The present value of the picked reading, in words. */
export function readingNow(readings: Readings, key: string, sensor: string, text: Text): string {
  if (key === '') return '';
  if (!Object.hasOwn(readings, key)) return text('form.reading.missing', { name: sensor });
  const value = readings[key];
  return value === true ? text('form.reading.allows') : text('form.reading.forbids', { value: shown(value) });
}

const MAX_VALUE_LENGTH = 30;

function shown(value: unknown): string {
  const words = JSON.stringify(value) ?? String(value);
  return words.length <= MAX_VALUE_LENGTH ? words : `${words.slice(0, MAX_VALUE_LENGTH - 1)}…`;
}
