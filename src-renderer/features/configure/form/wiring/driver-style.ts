import { pinStyleOf, type PinStyle } from '../../../../../proto/config/models/motor-pins.ts';
import type { JsonObject } from '../fields/form-field.ts';

export type PinKey = 'a' | 'b' | 'dir' | 'pwm';

/** A pin of a motor: of its style, or one that enables its driver. */
export type WireKey = PinKey | 'en_high' | 'en_low';

/** The three ways to wire a driver, in the order in which they are shown, with the pins of each. */
export const driverStyles: readonly { readonly style: PinStyle; readonly pins: readonly PinKey[] }[] = [
  { style: 'pwm-dir', pins: ['pwm', 'dir'] },
  { style: 'in1-in2', pins: ['a', 'b'] },
  { style: 'in1-in2-pwm', pins: ['a', 'b', 'pwm'] },
];

const styleKeys: readonly string[] = ['a', 'b', 'dir', 'pwm'];

/** The styles as the messages name them. */
export const styleWords = { 'pwm-dir': 'pwmDir', 'in1-in2': 'inputs', 'in1-in2-pwm': 'inputsPwm' } as const;

export function pinsOf(style: PinStyle): readonly PinKey[] {
  return driverStyles.find((one) => one.style === style)?.pins ?? [];
}

/**
 * The style to show for a set of pins. The person's choice applies while its
 * pins are being typed; otherwise the pins decide: a complete style, or the only
 * one that they fit. Undefined if they fit none or several.
 */
export function shownStyle(pins: JsonObject, chosen: PinStyle | undefined): PinStyle | undefined {
  const set = styleKeys.filter((key) => pins[key] !== undefined && pins[key] !== '');
  const isWithin = (style: PinStyle): boolean => set.every((key) => pinsOf(style).some((one) => one === key));
  if (chosen !== undefined && isWithin(chosen)) return chosen;
  const made = pinStyleOf(pins);
  if (made !== undefined || set.length === 0) return made;
  const [only, ...more] = driverStyles.filter(({ style }) => isWithin(style));
  return more.length === 0 ? only?.style : undefined;
}

/** Whether no style has all the pins that are set: the combination cannot be shown. */
export function fitsNoStyle(pins: JsonObject): boolean {
  const set = styleKeys.filter((key) => pins[key] !== undefined && pins[key] !== '');
  return !driverStyles.some((one) => set.every((key) => one.pins.some((pin) => pin === key)));
}

/** Typed pins of the styles that are not chosen, by key. */
export type KeptPins = Readonly<Record<string, unknown>>;

/**
 * The pins after choosing a style: keys that it does not have move to `kept`,
 * and its own come back from there. Everything else stays.
 */
export function withStyle(
  pins: JsonObject,
  kept: KeptPins,
  style: PinStyle,
): { readonly pins: JsonObject; readonly kept: KeptPins } {
  const own: readonly string[] = pinsOf(style);
  const next: Record<string, unknown> = {};
  const aside: Record<string, unknown> = { ...kept };
  for (const [key, value] of Object.entries(pins)) {
    if (styleKeys.includes(key) && !own.includes(key)) aside[key] = value;
    else next[key] = value;
  }
  for (const key of own) {
    if (next[key] === undefined && aside[key] !== undefined) next[key] = aside[key];
    delete aside[key];
  }
  return { pins: next, kept: aside };
}

/** The enable pin of a driver, and the level at which it works. */
export type EnableLevel = 'none' | 'high' | 'low';

export function enableKey(level: EnableLevel): 'en_high' | 'en_low' | undefined {
  if (level === 'none') return undefined;
  return level === 'high' ? 'en_high' : 'en_low';
}

/** The pins with the enable pin at another level, or without one. `kept` is the enable pin before it was removed. */
export function withEnable(pins: JsonObject, level: EnableLevel, kept: unknown): JsonObject {
  const { en_high: high, en_low: low, ...rest } = pins;
  const key = enableKey(level);
  if (key === undefined) return rest;
  const pin = (key === 'en_high' ? (high ?? low) : (low ?? high)) ?? kept;
  return pin === undefined ? rest : { ...rest, [key]: pin };
}
