import type { JsonSchema } from '../schema/json-schema.ts';
import { attributeError, type AttributeProblem } from './attribute-problem.ts';
import type { ValueOf } from './model-schema.ts';
import { motorPinsSchema, pinStyleProblems } from './motor-pins.ts';

export const simulatedMotorDefaults = {
  ticksPerRotation: 200,
  maxRpm: 100,
  timeConstantMs: 100,
  friction: 0.05,
} as const;
/** Edges a second beyond which a simulated encoder would keep the whole program busy. */
const MOST_EDGES_PER_SEC = 1_000_000;

const text = (title: string, description: string) => ({ type: 'string', minLength: 1, title, description }) as const;

/**
 * Schema of `simulated_motors` of a board.
 * @param encoderPins what the board makes of the pins of an encoder, a sentence or two
 */
export function simulatedMotorsSchema({
  description,
  encoderPins,
}: {
  readonly description: string;
  readonly encoderPins: string;
}) {
  return {
    type: 'array',
    title: 'Simulated motors',
    description,
    items: {
      title: 'Simulated motor',
      type: 'object',
      required: ['pins'],
      additionalProperties: false,
      properties: {
        pins: motorPinsSchema,
        encoder_pins: {
          type: 'object',
          title: 'Encoder pins',
          description: encoderPins,
          required: ['a', 'b'],
          additionalProperties: false,
          properties: { a: text('Channel A', 'Pin of channel A.'), b: text('Channel B', 'Pin of channel B.') },
        },
        ticks_per_rotation: {
          type: 'number',
          exclusiveMinimum: 0,
          maximum: 100_000,
          default: simulatedMotorDefaults.ticksPerRotation,
          title: 'Ticks per rotation',
          description: 'Ticks an incremental encoder counts in one turn.',
          'x-unit': 'ticks',
        },
        max_rpm: {
          type: 'number',
          exclusiveMinimum: 0,
          maximum: 100_000,
          default: simulatedMotorDefaults.maxRpm,
          title: 'Speed at full power',
          'x-unit': 'rpm',
        },
        time_constant_ms: {
          type: 'number',
          minimum: 1,
          maximum: 60_000,
          default: simulatedMotorDefaults.timeConstantMs,
          title: 'Time constant',
          description: 'Time to reach 63 % of a new speed.',
          'x-unit': 'ms',
        },
        friction: {
          type: 'number',
          minimum: 0,
          maximum: 0.9,
          default: simulatedMotorDefaults.friction,
          title: 'Friction',
          description: 'Share of full power that turning takes at any speed. Starting from rest takes a third more.',
          'x-unit': 'of 1',
        },
      },
    },
  } as const satisfies JsonSchema;
}

/** A motor that exists only as numbers, wired to pins of the board. */
export type SimulatedMotorAttributes = ValueOf<ReturnType<typeof simulatedMotorsSchema>>[number];

/** Rules of `simulated_motors` that their schema cannot express. Pointers are relative to the board's attributes. */
export function simulatedMotorProblems(motors: readonly SimulatedMotorAttributes[]): AttributeProblem[] {
  const problems: AttributeProblem[] = [];
  const encoderPins = new Map<string, number>();
  motors.forEach((motor, index) => {
    const pointer = `/simulated_motors/${index}`;
    problems.push(...pinStyleProblems(motor.pins, `${pointer}/pins`));
    const { ticks_per_rotation: ticks = simulatedMotorDefaults.ticksPerRotation } = motor;
    const edgesPerSec = (2 * ticks * (motor.max_rpm ?? simulatedMotorDefaults.maxRpm)) / 60;
    if (motor.encoder_pins !== undefined && edgesPerSec > MOST_EDGES_PER_SEC) {
      problems.push(
        attributeError(
          pointer,
          'attribute.out_of_range',
          `"ticks_per_rotation" and "max_rpm" make ${Math.round(edgesPerSec)} edges a second; at most ${MOST_EDGES_PER_SEC} are allowed: lower one of them.`,
        ),
      );
    }
    for (const key of ['a', 'b'] as const) {
      const pin = motor.encoder_pins?.[key];
      if (pin === undefined) continue;
      if (encoderPins.has(pin)) {
        problems.push(
          attributeError(
            `${pointer}/encoder_pins/${key}`,
            'attribute.conflict',
            `Pin "${pin}" is already an encoder pin of simulated motor ${encoderPins.get(pin)}: choose another pin.`,
          ),
        );
      }
      // Numbered from 1, as in the form.
      encoderPins.set(pin, index + 1);
    }
  });
  return problems;
}
