import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import {
  attributeError,
  attributeWarning,
  type AttributeProblem,
} from '../../../../proto/config/models/attribute-problem.ts';
import { motorPinsSchema, pinStyleOf, pinStyleProblems } from '../../../../proto/config/models/motor-pins.ts';
import { boardAttribute } from '../../../../proto/config/models/board-attribute.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

/** PWM frequency where `pwm_freq` is absent or 0. */
export const DEFAULT_PWM_FREQ_HZ = 800;
/** Smallest `max_power_pct` that counts as set. */
export const LOWEST_MAX_POWER = 0.06;

export const gpioMotorSchema = {
  title: 'DC motor on GPIO pins',
  description: 'A brushed or brushless DC motor behind a driver that is wired to pins of a board.',
  type: 'object',
  examples: [
    {
      board: 'board-1',
      pins: { a: '11', b: '13', pwm: '32', en_high: '36' },
      pwm_freq: 1_000,
      min_power_pct: 0.1,
      max_power_pct: 0.8,
      encoder: 'encoder-1',
      ticks_per_rotation: 600,
      power_slew_per_sec: 2,
      stop_mode: 'brake',
      direction_dead_time_ms: 5,
      position_tolerance_deg: 3,
      control_parameters: { p: 0.5, i: 2, d: 0.01 },
    },
    { board: 'board-1', pins: { pwm: '33', dir: '35', en_low: '37' }, max_rpm: 100 },
  ],
  required: ['board', 'pins'],
  additionalProperties: false,
  properties: {
    board: boardAttribute('Name of the board the driver is wired to.'),
    max_rpm: {
      type: 'integer',
      minimum: 0,
      title: 'Max speed, no load',
      description:
        'Estimated speed at full power with no load. Speeds are turned into power as a share of it. Required without an encoder, ignored with one.',
      'x-unit': 'rpm',
      examples: [100],
      'x-in-place': true,
    },
    pins: motorPinsSchema,
    pwm_freq: {
      type: 'integer',
      minimum: 0,
      maximum: 1_000_000,
      default: DEFAULT_PWM_FREQ_HZ,
      title: 'PWM frequency',
      description: '0 means the default.',
      'x-unit': 'Hz',
      'x-in-place': true,
    },
    min_power_pct: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0,
      title: 'Lowest power',
      description: 'A motor that runs gets at least this share of full power.',
      'x-unit': 'of 1',
      'x-in-place': true,
    },
    max_power_pct: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 1,
      title: 'Highest power',
      description: 'A motor gets at most this share of full power: 0.06 to 1. 0 means no limit.',
      'x-unit': 'of 1',
      'x-in-place': true,
    },
    encoder: {
      type: 'string',
      title: 'Encoder',
      description: 'Name of an encoder on this motor. Speed and position are then measured and controlled.',
      'x-resource': 'core:component:encoder',
    },
    ticks_per_rotation: {
      type: 'number',
      minimum: 0,
      title: 'Ticks per rotation',
      description: 'Ticks the encoder counts in one turn of the output shaft. Required with an encoder.',
      'x-unit': 'ticks',
      examples: [200],
      'x-in-place': true,
    },
    dir_flip: {
      type: 'boolean',
      default: false,
      title: 'Direction',
      description: 'Flipped swaps forward and backward rotation.',
      'x-words': ['as wired', 'flipped'],
    },
    power_slew_per_sec: {
      type: 'number',
      minimum: 0,
      default: 0,
      title: 'Power ramp',
      description:
        'Power changes by at most this much a second (1 is from rest to full power in a second); 0 means at once. Stop is never ramped.',
      'x-unit': '1/s',
      'x-in-place': true,
    },
    stop_mode: {
      type: 'string',
      enum: ['coast', 'brake'],
      default: 'coast',
      title: 'Stopping',
      description:
        'What Stop, power 0 and the end of a motion do: "coast" switches the outputs off, "brake" turns both sides of the bridge on (a and b high). Whatever ends without a command ends with outputs off. Only for a driver with In1 and In2.',
    },
    direction_dead_time_ms: {
      type: 'number',
      minimum: 0,
      maximum: 1_000,
      default: 0,
      title: 'Dead time at a reversal',
      description:
        'Time for which all outputs are at zero between the directions. For drivers without a dead time of their own.',
      'x-unit': 'ms',
    },
    ramp_rate: {
      type: 'number',
      deprecated: true,
      title: 'Ramp rate',
      description: 'Known from other servers, not used here: see power_slew_per_sec.',
      'x-in-place': true,
    },
    position_tolerance_deg: {
      type: 'number',
      minimum: 0,
      default: 0,
      title: 'Tolerance',
      description:
        'GoFor and GoTo end within this of their goal. 0 means the larger of 2 ticks and 2°. Used only with an encoder.',
      'x-unit': '°',
      'x-in-place': true,
    },
    control_parameters: {
      type: 'object',
      title: 'Control parameters',
      description:
        'Gains of the speed controller in place of its own, which follow from what it learns of the motor. Error in ticks a second, power in 255ths. All 0 means its own. DoCommand {"tune": {}} measures the motor and proposes some.',
      additionalProperties: false,
      properties: {
        p: { type: 'number', minimum: 0, default: 0, title: 'P', description: 'Power for the error of speed.' },
        i: { type: 'number', minimum: 0, default: 0, title: 'I', description: 'Power for its sum over time.' },
        d: { type: 'number', minimum: 0, default: 0, title: 'D', description: 'Power for its change.' },
        type: {
          type: 'string',
          deprecated: true,
          title: 'Type',
          description: 'Known from other servers, not used here.',
        },
      },
      'x-in-place': true,
    },
  },
} as const satisfies JsonSchema;

/** Attributes of motor model `gpio`, as the file has them. */
export type GpioMotorAttributes = ValueOf<typeof gpioMotorSchema>;

/** Rules for the gpio motor that its schema cannot express. */
export function checkGpioMotor(attributes: GpioMotorAttributes): AttributeProblem[] {
  const problems = pinStyleProblems(attributes.pins, '/pins');
  const {
    max_rpm: maxRpm,
    ticks_per_rotation: ticks,
    min_power_pct: minPower = 0,
    max_power_pct: maxPower,
  } = attributes;
  if (isEncoded(attributes)) {
    if (ticks === undefined || ticks === 0) {
      problems.push(
        attributeError(
          '/ticks_per_rotation',
          'attribute.missing',
          `"ticks_per_rotation" is ${ticks ?? 'missing'}: enter how many ticks the encoder counts in one turn.`,
        ),
      );
    }
    if (maxRpm !== undefined) {
      problems.push(
        attributeWarning('/max_rpm', 'attribute.ignored', '"max_rpm" is ignored while an encoder is set: remove it.'),
      );
    }
  } else {
    if (maxRpm === undefined || maxRpm === 0) {
      problems.push(
        attributeError(
          '/max_rpm',
          'attribute.missing',
          `"max_rpm" is ${maxRpm ?? 'missing'}: enter the speed at full power, or choose an encoder.`,
        ),
      );
    }
    if (ticks !== undefined) {
      problems.push(
        attributeWarning(
          '/ticks_per_rotation',
          'attribute.ignored',
          '"ticks_per_rotation" is used only with "encoder": name an encoder or remove it.',
        ),
      );
    }
  }
  if (maxPower !== undefined && maxPower !== 0 && maxPower < LOWEST_MAX_POWER) {
    problems.push(
      attributeError(
        '/max_power_pct',
        'attribute.out_of_range',
        `"max_power_pct" is ${maxPower}; allowed is ${LOWEST_MAX_POWER} to 1.`,
        String(LOWEST_MAX_POWER),
      ),
    );
  }
  if (maxPower === 0) {
    problems.push(
      attributeWarning('/max_power_pct', 'attribute.default', '"max_power_pct" is 0, which means no limit (1.0).'),
    );
  }
  const ceiling = maxPower === undefined || maxPower === 0 ? 1 : maxPower;
  if (minPower > ceiling) {
    problems.push(
      attributeError(
        '/min_power_pct',
        'attribute.conflict',
        `"min_power_pct" is ${minPower}, above "max_power_pct" ${ceiling}: lower it.`,
      ),
    );
  }
  if ('ramp_rate' in attributes) {
    problems.push(
      attributeWarning(
        '/ramp_rate',
        'attribute.ignored',
        '"ramp_rate" is not used: the controller follows a speed profile. Use "power_slew_per_sec" to limit how fast power changes.',
      ),
    );
  }
  if (attributes.stop_mode === 'brake' && pinStyleOf(attributes.pins) === 'pwm-dir') {
    problems.push(
      attributeError(
        '/stop_mode',
        'attribute.conflict',
        '"stop_mode" is "brake", but a driver with "pwm" and "dir" has no input that brakes: set "coast", or wire a driver with "a" and "b".',
        'coast',
      ),
    );
  }
  const { position_tolerance_deg: tolerance = 0 } = attributes;
  if (isEncoded(attributes)) {
    if (ticks !== undefined && ticks > 0 && tolerance > 0 && tolerance < 360 / ticks) {
      problems.push(
        attributeWarning(
          '/position_tolerance_deg',
          'attribute.out_of_range',
          `"position_tolerance_deg" is ${tolerance}, less than a tick of the encoder: a goal is met to the tick, which is ${Number((360 / ticks).toPrecision(3))}.`,
        ),
      );
    }
    return problems;
  }
  for (const key of ['position_tolerance_deg', 'control_parameters'] as const) {
    if (attributes[key] === undefined) continue;
    problems.push(
      attributeWarning(
        `/${key}`,
        'attribute.ignored',
        `"${key}" is used only with "encoder": name an encoder or remove it.`,
      ),
    );
  }
  return problems;
}

/** Whether the motor measures its position. An empty name means no encoder. */
export function isEncoded(attributes: Pick<GpioMotorAttributes, 'encoder'>): boolean {
  return attributes.encoder !== undefined && attributes.encoder !== '';
}

export const model: ModelSchema = {
  api: 'core:component:motor',
  model: 'core:builtin:gpio',
  order: 20,
  summary: 'A DC motor behind a driver on pins of a board, with or without an encoder',
  mayCoexist: false,
  schema: gpioMotorSchema,
  check: checkGpioMotor,
};
