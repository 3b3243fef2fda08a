import { isObject } from '../fields/form-field.ts';

/** A pin that a board's attributes name, and its use there. */
export interface KnownPin {
  readonly pin: string;
  readonly use:
    | { readonly kind: 'interrupt'; readonly name: string }
    /** An entry of `pins`, which gives a line a name. `line` is its number; '' if it has none. */
    | { readonly kind: 'named'; readonly line: string }
    /** `number` counts from 1; `key` is the key in the motor's pins. */
    | { readonly kind: 'simulatedMotor'; readonly number: number; readonly key: string }
    | { readonly kind: 'simulatedEncoder'; readonly number: number; readonly channel: string };
}

/** The pins that a board's attributes name: suggestions, not all of its pins. Tolerates attributes of any form. */
export function knownPins(attributes: unknown): readonly KnownPin[] {
  const board = isObject(attributes) ? attributes : {};
  const pins: KnownPin[] = [];
  objectsOf(board['simulated_motors']).forEach((motor, index) => {
    const number = index + 1;
    for (const [key, pin] of textsOf(motor['pins'])) pins.push({ pin, use: { kind: 'simulatedMotor', number, key } });
    for (const [channel, pin] of textsOf(motor['encoder_pins'])) {
      pins.push({ pin, use: { kind: 'simulatedEncoder', number, channel } });
    }
  });
  for (const { name, line_number: line } of objectsOf(board['pins'])) {
    if (typeof name !== 'string' || name === '') continue;
    pins.push({ pin: name, use: { kind: 'named', line: typeof line === 'number' && line >= 0 ? String(line) : '' } });
  }
  for (const { name, pin } of objectsOf(board['digital_interrupts'])) {
    if (typeof name === 'string' && typeof pin === 'string') pins.push({ pin, use: { kind: 'interrupt', name } });
  }
  return pins;
}

function objectsOf(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function textsOf(value: unknown): readonly (readonly [string, string])[] {
  return isObject(value)
    ? Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '')
    : [];
}
