import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import {
  attributeError,
  attributeWarning,
  type AttributeProblem,
} from '../../../../proto/config/models/attribute-problem.ts';
import { boardAttribute } from '../../../../proto/config/models/board-attribute.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const DEFAULT_MIN_ANGLE_DEG = 0;
export const DEFAULT_MAX_ANGLE_DEG = 180;
/** Limits of the pulse width, and its defaults. */
export const SHORTEST_WIDTH_US = 500;
export const LONGEST_WIDTH_US = 2_500;
export const LOWEST_SERVO_HZ = 50;
export const HIGHEST_SERVO_HZ = 450;
/** Used if neither the attributes nor the pin set a frequency. */
export const DEFAULT_SERVO_HZ = 50;
/** Minimum gap between two pulses; without it a servo cannot distinguish them. */
const MIN_GAP_US = 50;

/** Highest frequency at which the longest pulse ends before the next one begins. */
export function highestServoHz(maxWidthUs: number): number {
  return Math.min(HIGHEST_SERVO_HZ, Math.floor(1_000_000 / (maxWidthUs + MIN_GAP_US)));
}

export const gpioServoSchema = {
  title: 'Servo on a GPIO pin',
  description: 'A hobby servo whose angle follows the width of the pulses on a PWM pin of a board.',
  type: 'object',
  examples: [
    {
      board: 'board-1',
      pin: '33',
      min_angle_deg: 10,
      max_angle_deg: 170,
      starting_position_deg: 90,
      frequency_hz: 50,
      min_width_us: 1_000,
      max_width_us: 2_000,
      speed_deg_per_sec: 375,
    },
  ],
  required: ['board', 'pin'],
  additionalProperties: false,
  properties: {
    board: boardAttribute('Name of the board the servo is wired to.'),
    pin: {
      type: 'string',
      minLength: 1,
      title: 'Pin',
      description: 'Pin of the signal wire.',
      'x-input': 'pin',
    },
    min_angle_deg: {
      type: 'number',
      minimum: 0,
      default: DEFAULT_MIN_ANGLE_DEG,
      title: 'Smallest angle',
      description: 'Angle at the shortest pulse. Less is never sent.',
      'x-unit': '°',
      'x-in-place': true,
    },
    max_angle_deg: {
      type: 'number',
      minimum: 0,
      default: DEFAULT_MAX_ANGLE_DEG,
      title: 'Largest angle',
      description: 'Angle at the longest pulse. More is never sent.',
      'x-unit': '°',
      'x-in-place': true,
    },
    starting_position_deg: {
      type: 'number',
      minimum: 0,
      title: 'Starting position',
      description:
        'Angle the servo is sent to whenever it is started. Without it the servo does not move before the first command.',
      'x-unit': '°',
      'x-in-place': true,
    },
    frequency_hz: {
      type: 'integer',
      minimum: LOWEST_SERVO_HZ,
      maximum: HIGHEST_SERVO_HZ,
      title: 'Frequency',
      description: `Pulses a second; digital servos may take more. Without it: what the pin is set to, else ${DEFAULT_SERVO_HZ}.`,
      'x-unit': 'Hz',
      examples: [100],
      'x-in-place': true,
    },
    min_width_us: {
      type: 'number',
      minimum: SHORTEST_WIDTH_US,
      maximum: LONGEST_WIDTH_US,
      default: SHORTEST_WIDTH_US,
      title: 'Shortest pulse',
      description: 'Width of the pulses at the smallest angle.',
      'x-unit': 'µs',
      'x-in-place': true,
    },
    max_width_us: {
      type: 'number',
      minimum: SHORTEST_WIDTH_US,
      maximum: LONGEST_WIDTH_US,
      default: LONGEST_WIDTH_US,
      title: 'Longest pulse',
      description: 'Width of the pulses at the largest angle.',
      'x-unit': 'µs',
      'x-in-place': true,
    },
    pwm_resolution: {
      type: 'integer',
      minimum: 2,
      maximum: 16_777_216,
      title: 'PWM resolution',
      description:
        'Steps of a PWM period, for example 4096 of a 12-bit PWM chip: pulses are rounded to them, within the widths. Without it nothing is rounded.',
      'x-unit': 'steps',
      examples: [4_096],
      'x-in-place': true,
    },
    speed_deg_per_sec: {
      type: 'number',
      exclusiveMinimum: 0,
      title: 'Speed',
      description:
        'How fast the servo turns, of its data sheet (0.16 s for 60° are 375). IsMoving is then true for the time a move takes; nothing measures it, so without this it is always false.',
      'x-unit': '°/s',
      examples: [375],
      'x-in-place': true,
    },
  },
} as const satisfies JsonSchema;

/** Attributes of servo model `gpio`, as the file has them. */
export type GpioServoAttributes = ValueOf<typeof gpioServoSchema>;

/** Rules for the gpio servo that its schema cannot express. */
export function checkGpioServo(attributes: GpioServoAttributes): AttributeProblem[] {
  const {
    min_angle_deg: minAngle = DEFAULT_MIN_ANGLE_DEG,
    max_angle_deg: maxAngle = DEFAULT_MAX_ANGLE_DEG,
    min_width_us: minWidth = SHORTEST_WIDTH_US,
    max_width_us: maxWidth = LONGEST_WIDTH_US,
    starting_position_deg: start,
    frequency_hz: freqHz,
    pwm_resolution: resolution,
  } = attributes;
  const problems: AttributeProblem[] = [];
  if (minAngle >= maxAngle) {
    problems.push(
      attributeError(
        '/min_angle_deg',
        'attribute.conflict',
        `"min_angle_deg" is ${minAngle}, which is not below "max_angle_deg" ${maxAngle}: change one of them.`,
      ),
    );
  } else if (start !== undefined && (start < minAngle || start > maxAngle)) {
    const nearest = Math.min(maxAngle, Math.max(minAngle, start));
    problems.push(
      attributeError(
        '/starting_position_deg',
        'attribute.out_of_range',
        `"starting_position_deg" is ${start}; allowed is ${minAngle} to ${maxAngle}.`,
        String(nearest),
      ),
    );
  }
  if (minWidth >= maxWidth) {
    problems.push(
      attributeError(
        '/min_width_us',
        'attribute.conflict',
        `"min_width_us" is ${minWidth}, which is not below "max_width_us" ${maxWidth}: change one of them.`,
      ),
    );
    return problems;
  }
  const highestHz = highestServoHz(maxWidth);
  if (freqHz !== undefined && freqHz > highestHz) {
    problems.push(
      attributeWarning(
        '/frequency_hz',
        'attribute.out_of_range',
        `"frequency_hz" is ${freqHz}; pulses of ${maxWidth} µs leave room for at most ${highestHz} Hz, which is used.`,
      ),
    );
  }
  if (resolution !== undefined) {
    const steps = stepsWithin(minWidth, maxWidth, Math.min(freqHz ?? DEFAULT_SERVO_HZ, highestHz), resolution);
    if (steps < 2) {
      problems.push(
        attributeError(
          '/pwm_resolution',
          'attribute.out_of_range',
          `"pwm_resolution" is ${resolution}: of so few steps ${steps === 1 ? 'only one lies' : 'none lies'} between the shortest and the longest pulse. Set how many steps a whole PWM period has.`,
        ),
      );
    }
  }
  return problems;
}

/** How many different pulses a PWM with `resolution` steps has between two widths. */
function stepsWithin(minWidthUs: number, maxWidthUs: number, freqHz: number, resolution: number): number {
  const perUs = (freqHz / 1_000_000) * resolution;
  return Math.max(0, Math.floor(maxWidthUs * perUs) - Math.ceil(minWidthUs * perUs) + 1);
}

export const model: ModelSchema = {
  api: 'core:component:servo',
  model: 'core:builtin:gpio',
  order: 30,
  summary: 'A hobby servo on a PWM pin of a board',
  mayCoexist: false,
  schema: gpioServoSchema,
  check: checkGpioServo,
};
