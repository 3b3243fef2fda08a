import type { JsonSchema } from '../schema/json-schema.ts';
import { attributeError, attributeWarning, type AttributeProblem } from './attribute-problem.ts';
import type { ValueOf } from './model-schema.ts';

/** The three driver styles of the spec: PWM/DIR, In1/In2, In1/In2 and PWM. */
export type PinStyle = 'pwm-dir' | 'in1-in2' | 'in1-in2-pwm';

const pin = (title: string, description: string) =>
  ({
    type: 'string',
    title,
    description,
    'x-input': 'pin',
  }) as const;

export const motorPinsSchema = {
  type: 'object',
  title: 'How the driver is wired',
  'x-input': 'driver-pins',
  'x-columns': 3,
  description: 'Board pins of the driver: "pwm" and "dir", or "a" and "b", or "a", "b" and "pwm".',
  additionalProperties: false,
  properties: {
    a: pin('In1 (a)', 'Board pin of the driver input IN1 (A).'),
    b: pin('In2 (b)', 'Board pin of the driver input IN2 (B).'),
    dir: pin('Direction (dir)', 'Board pin that chooses the direction.'),
    pwm: pin('Speed (pwm)', 'Board pin that sets the speed. Not for a driver with only In1 and In2.'),
    en_high: pin('Enable, works when high (en_high)', 'Board pin that must be high for the driver to work.'),
    en_low: pin('Enable, works when low (en_low)', 'Board pin that must be low for the driver to work.'),
  },
} as const satisfies JsonSchema;

/** Pins of a motor driver, as strings with board pin numbers. */
export type MotorPins = ValueOf<typeof motorPinsSchema>;

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';

/** The style of a set of pins, or undefined where they form none (see {@link pinStyleProblems}). */
export function pinStyleOf(pins: MotorPins): PinStyle | undefined {
  const { a, b, dir, pwm } = pins;
  if (isSet(a) && isSet(b) && !isSet(dir)) return isSet(pwm) ? 'in1-in2-pwm' : 'in1-in2';
  if (!isSet(a) && !isSet(b) && isSet(dir) && isSet(pwm)) return 'pwm-dir';
  return undefined;
}

const WIRINGS = '"pwm" and "dir"; "a" and "b"; or "a", "b" and "pwm".';
const COMBINATIONS = `Allowed are ${WIRINGS}`;

/** What is wrong with a set of driver pins. */
export function pinStyleProblems(pins: MotorPins, pointer: string): AttributeProblem[] {
  const problems: AttributeProblem[] = [];
  const { a, b, dir, pwm, en_high: enHigh, en_low: enLow } = pins;
  const error = (key: string, code: string, message: string) =>
    problems.push(attributeError(key === '' ? pointer : `${pointer}/${key}`, code, message));
  if (isSet(a) && isSet(b)) {
    if (isSet(dir))
      error('dir', 'attribute.conflict', `"dir" cannot be used together with "a" and "b". ${COMBINATIONS}`);
  } else if (isSet(a) || isSet(b)) {
    const [present, missing] = isSet(a) ? ['a', 'b'] : ['b', 'a'];
    error(present, 'attribute.missing', `Pin "${present}" is set but pin "${missing}" is not. ${COMBINATIONS}`);
  } else if (isSet(dir) && !isSet(pwm)) {
    error('dir', 'attribute.missing', `Pin "dir" is set but pin "pwm" is not. ${COMBINATIONS}`);
  } else if (isSet(pwm) && !isSet(dir)) {
    error('pwm', 'attribute.missing', `Pin "pwm" is set alone. ${COMBINATIONS}`);
  } else if (!isSet(pwm)) {
    error('', 'attribute.missing', `Choose how the driver is wired, then its pins: ${WIRINGS}`);
  }
  if (isSet(enHigh) && isSet(enLow)) {
    error('en_low', 'attribute.conflict', '"en_high" and "en_low" cannot both be set: keep the one the driver needs.');
  }
  const byPin = new Map<string, string>();
  for (const key of ['a', 'b', 'dir', 'pwm', 'en_high', 'en_low'] as const) {
    const value = pins[key];
    if (value === '') {
      problems.push(
        attributeWarning(`${pointer}/${key}`, 'attribute.empty', `Pin "${key}" is empty and has no effect.`),
      );
      continue;
    }
    if (value === undefined) continue;
    const other = byPin.get(value);
    if (other !== undefined) {
      error(key, 'attribute.conflict', `Pins "${other}" and "${key}" are the same board pin "${value}".`);
    }
    byPin.set(value, key);
  }
  return problems;
}
