import type { JsonSchema } from '../json-schema.ts';
import { attributeError, type AttributeProblem } from './attribute-problem.ts';
import { pinHold, type PinHold } from './pin-hold.ts';
import { motorPinsSchema, pinStyleProblems, type MotorPins } from './motor-pins.ts';

/** An entry of `analogs`. */
export interface FakeAnalogAttributes {
  readonly name: string;
  readonly pin?: string;
  readonly chip_select?: string;
  readonly spi_bus?: string;
  readonly average_over_ms?: number;
  readonly samples_per_sec?: number;
}

export interface FakeInterruptAttributes {
  readonly name: string;
  readonly pin: string;
}

/** An entry of `pins`: a pin under a name of one's own. */
export interface FakePinAttributes {
  readonly name: string;
  /** What it stands for; without it, `name` is the pin. */
  readonly pin?: string;
  readonly hold?: PinHold;
}

/** A motor that exists only as numbers, wired to pins of the board (ruling 13). */
export interface SimulatedMotorAttributes {
  readonly pins: MotorPins;
  readonly encoder_pins?: { readonly a: string; readonly b: string };
  /** Ticks an `incremental` encoder counts in one turn: two edges a tick, over both pins. */
  readonly ticks_per_rotation?: number;
  readonly max_rpm?: number;
  readonly time_constant_ms?: number;
  /** Share of full torque that turning takes at any speed. */
  readonly friction?: number;
}

export interface FakeBoardAttributes {
  /** Absent is false. */
  readonly fail_new?: boolean;
  readonly pins?: readonly FakePinAttributes[];
  readonly analogs?: readonly FakeAnalogAttributes[];
  readonly digital_interrupts?: readonly FakeInterruptAttributes[];
  readonly simulated_motors?: readonly SimulatedMotorAttributes[];
  readonly seed?: number;
}

export const simulatedMotorDefaults = {
  ticksPerRotation: 200,
  maxRpm: 100,
  timeConstantMs: 100,
  friction: 0.05,
} as const;
/** Sampling rate of an averaged analog that names none. */
export const DEFAULT_SAMPLES_PER_SEC = 100;

const text = (title: string, description: string): JsonSchema => ({ type: 'string', minLength: 1, title, description });

export const fakeBoardSchema: JsonSchema = {
  title: 'Fake board',
  description: 'A board without hardware: incrementing analogs and interrupt ticks, pins on demand, simulated motors.',
  type: 'object',
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
    simulated_motors: {
      type: 'array',
      title: 'Simulated motors',
      description: 'Motors that turn as the levels and PWM of their pins say.',
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
            description: 'Pins that get the quadrature edges. They are digital interrupts without being listed.',
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
            description:
              'Share of full power that turning takes at any speed. To break away from rest takes a third more.',
            'x-unit': 'of 1',
          },
        },
      },
    },
    seed: {
      type: 'integer',
      minimum: 0,
      default: 1,
      title: 'Seed',
      description: 'Decides the levels of the ticks: the same seed gives the same ticks.',
    },
  },
};

/** Edges a second beyond which a simulated encoder would keep the whole program busy. */
const MOST_EDGES_PER_SEC = 1_000_000;

/** Rules of the fake board that its schema cannot say. */
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
  const encoderPins = new Map<string, number>();
  attributes.simulated_motors?.forEach((motor, index) => {
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
      // As people count, and as the form numbers them.
      encoderPins.set(pin, index + 1);
    }
  });
  return problems;
}
