import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { attributeError, type AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import { pinHold } from '../../../../proto/config/models/pin-hold.ts';
import { simulatedMotorProblems, simulatedMotorsSchema } from '../../../../proto/config/models/simulated-motor.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

/** Sampling rate of an averaged analog that does not set one. */
export const DEFAULT_SAMPLES_PER_SEC = 100;

const text = (title: string, description: string) => ({ type: 'string', minLength: 1, title, description }) as const;

export const fakeBoardSchema = {
  title: 'Fake board',
  description: 'A board without hardware: incrementing analogs and interrupt ticks, pins on demand, simulated motors.',
  type: 'object',
  examples: [
    {
      pins: [{ name: 'left_in1', pin: '11' }],
      analogs: [{ name: 'pot', pin: '0', chip_select: '0', spi_bus: '0', average_over_ms: 100, samples_per_sec: 50 }],
      digital_interrupts: [
        { name: 'enc_a', pin: '16' },
        { name: 'enc_b', pin: '18' },
      ],
      simulated_motors: [
        {
          pins: { a: '11', b: '13', pwm: '32', en_high: '36' },
          encoder_pins: { a: '16', b: '18' },
          ticks_per_rotation: 600,
          max_rpm: 120,
          time_constant_ms: 150,
          friction: 0.1,
        },
        { pins: { pwm: '33', dir: '35', en_low: '37' } },
      ],
      seed: 7,
    },
  ],
  'x-initial': ['fail_new'],
  additionalProperties: false,
  properties: {
    fail_new: {
      type: 'boolean',
      default: false,
      title: 'Fail at start',
      description: 'When on, the board raises an error at machine start-up.',
    },
    pins: {
      type: 'array',
      title: 'Pins',
      description: 'Names of your own for pins, and what is special about a pin. Others need no entry.',
      items: {
        title: 'Pin',
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: {
          name: text('Name', 'What the pin is called by motors and calls.'),
          pin: text('Pin', 'Pin that the name stands for. Without it: the pin of that name.'),
          hold: pinHold,
        },
      },
    },
    analogs: {
      type: 'array',
      title: 'Analogs',
      description: 'ADC inputs. Each read is one more than the last; pin "1" reads back what was written.',
      items: {
        title: 'Analog',
        type: 'object',
        required: ['name'],
        'x-initial': ['pin', 'chip_select', 'spi_bus'],
        additionalProperties: false,
        properties: {
          name: text('Name', 'Name of the analog reader.'),
          pin: text('ADC pin', 'Physical pin index on the ADC.'),
          chip_select: text('Chip select', 'Chip select index of the board pin wired to the ADC.'),
          spi_bus: text('SPI bus', 'Index of the SPI bus between ADC and board.'),
          average_over_ms: {
            type: 'integer',
            minimum: 0,
            maximum: 60_000,
            default: 0,
            title: 'Average over',
            description: 'Time over which a rolling average is taken; 0 means no average.',
            'x-unit': 'ms',
          },
          samples_per_sec: {
            type: 'integer',
            minimum: 0,
            maximum: 10_000,
            default: 0,
            title: 'Samples per second',
            description: 'How often the value is sampled; 0 means at each read, or 100 with an average.',
            'x-unit': '1/s',
          },
        },
      },
    },
    digital_interrupts: {
      type: 'array',
      title: 'Digital interrupts',
      description: 'Inputs that tick every 700 ms, or with the encoder of a simulated motor on the same pin.',
      items: {
        title: 'Digital interrupt',
        type: 'object',
        required: ['name', 'pin'],
        additionalProperties: false,
        properties: {
          name: text('Name', 'Name of the digital interrupt.'),
          pin: text('Pin', 'Board GPIO pin number.'),
        },
      },
    },
    simulated_motors: simulatedMotorsSchema({
      description: 'Motors that turn as the levels and PWM of their pins say.',
      encoderPins: 'Pins that get the quadrature edges. They are digital interrupts without being listed.',
    }),
    seed: {
      type: 'integer',
      minimum: 0,
      default: 1,
      title: 'Seed',
      description: 'Decides the levels of the ticks: the same seed gives the same ticks.',
    },
  },
} as const satisfies JsonSchema;

export type FakeBoardAttributes = ValueOf<typeof fakeBoardSchema>;

/** An entry of `analogs`. */
export type FakeAnalogAttributes = NonNullable<FakeBoardAttributes['analogs']>[number];

/** Rules for the fake board that its schema cannot express. */
export function checkFakeBoard(attributes: FakeBoardAttributes): AttributeProblem[] {
  const problems: AttributeProblem[] = [];
  const unique = (list: readonly { readonly name: string }[], key: string) => {
    const seen = new Set<string>();
    list.forEach(({ name }, index) => {
      if (seen.has(name)) {
        problems.push(
          attributeError(
            `/${key}/${index}/name`,
            'attribute.duplicate',
            `Two entries of "${key}" are named "${name}": rename one of them.`,
          ),
        );
      }
      seen.add(name);
    });
  };
  unique(attributes.pins ?? [], 'pins');
  unique(attributes.analogs ?? [], 'analogs');
  unique(attributes.digital_interrupts ?? [], 'digital_interrupts');
  problems.push(...simulatedMotorProblems(attributes.simulated_motors ?? []));
  return problems;
}

export const model: ModelSchema = {
  api: 'core:component:board',
  model: 'core:builtin:fake',
  order: 10,
  summary: 'A board without hardware, with simulated motors',
  mayCoexist: false,
  schema: fakeBoardSchema,
  check: checkFakeBoard,
};
