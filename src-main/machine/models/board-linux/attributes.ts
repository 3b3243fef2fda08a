import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { pinHold } from '../../../../proto/config/models/pin-hold.ts';
import { simulatedMotorsSchema } from '../../../../proto/config/models/simulated-motor.ts';
import type { ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const linuxBoardDefaults = { expiryMs: 500, pwmFrequencyHz: 800, chip: 'mcp3008' } as const;
/** Sampling rate of an analog that does not set one; eight such channels use little processor time. */
export const DEFAULT_LINUX_SAMPLES_PER_SEC = 100;

const adcChips = ['mcp3008', 'mcp3004', 'mcp3002', 'mcp3208', 'mcp3204', 'mcp3202', 'ads1115'] as const;

const text = (title: string, description: string, examples: readonly string[]) =>
  ({
    type: 'string',
    minLength: 1,
    title,
    description,
    examples,
  }) as const;

const bias = {
  type: 'string',
  enum: ['as-is', 'disabled', 'pull-up', 'pull-down'],
  default: 'as-is',
  title: 'Bias',
  description: 'The resistor of the chip that holds the line while nothing drives it. Not every chip has them.',
  'x-columns': 2,
} as const satisfies JsonSchema;

const activeLow = {
  type: 'boolean',
  default: false,
  title: 'Level',
  description: 'Inverted: the pin is high for this machine when its voltage is low.',
  'x-words': ['as wired', 'inverted'],
} as const satisfies JsonSchema;

const pin = {
  title: 'Pin',
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: text(
      'Name',
      'What the pin is called by motors and calls. Without a line number: the name that the line has in the kernel.',
      ['left_in1'],
    ),
    pin: {
      ...text('Pin', 'Pin of the header, or name of a line, that the name stands for. Not with a line number.', ['11']),
      'x-input': 'pin',
    },
    device_name: {
      type: 'string',
      title: 'GPIO chip',
      description: 'Path, name, label or stable id of the chip. Without it: the chip of the board.',
      'x-input': 'gpio-chip',
      examples: ['gpiochip0'],
    },
    line_number: {
      type: 'integer',
      minimum: -1,
      maximum: 65_535,
      title: 'Line',
      description: 'Offset of the line on the chip; -1 for none.',
      'x-input': 'gpio-line',
      examples: [17],
    },
    pwm_chip_sysfs_dir: {
      type: 'string',
      title: 'PWM chip',
      description:
        'Where hardware drives the pin: path or name of the pwmchip, the name of its driver (pca9685), or a part of the path of its device. Without it PWM is made by software.',
      'x-input': 'pwm-chip',
      examples: ['/sys/class/pwm/pwmchip0', '3f20c000.pwm'],
    },
    pwm_id: {
      type: 'integer',
      minimum: -1,
      maximum: 65_535,
      title: 'PWM channel',
      description: 'Channel of the PWM chip; -1 for none.',
      'x-input': 'pwm-channel',
      examples: [0],
    },
    safe: {
      type: 'string',
      enum: ['low', 'high'],
      default: 'low',
      title: 'Safe level',
      description: 'Level that the pin is driven to when who drives it is gone. A motor must be off at it.',
    },
    hold: pinHold,
    active_low: activeLow,
    bias,
    drive: {
      type: 'string',
      enum: ['push-pull', 'open-drain', 'open-source'],
      default: 'push-pull',
      title: 'Drive',
      description: 'Open drain never drives high, open source never low: a resistor does.',
      'x-columns': 2,
    },
  },
} as const satisfies JsonSchema;

const analog = {
  title: 'Analog',
  type: 'object',
  required: ['name', 'pin', 'chip_select', 'spi_bus'],
  additionalProperties: false,
  properties: {
    name: text('Name', 'Name of the analog reader.', ['pot']),
    chip: {
      type: 'string',
      enum: adcChips,
      default: linuxBoardDefaults.chip,
      title: 'Converter',
      description: 'The chip that converts. ADS1115 is on I2C, the others on SPI.',
    },
    pin: text('Channel', 'Channel of the converter, from 0.', ['0']),
    spi_bus: {
      ...text('Bus', 'Number of the SPI bus: 0 of /dev/spidev0.1. Of an ADS1115: of the I2C bus.', ['0']),
      'x-input': 'converter-bus',
    },
    chip_select: {
      ...text('Chip select', 'Chip select of the bus: 1 of /dev/spidev0.1. Of an ADS1115: its address, 0x48 to 0x4b.', [
        '0',
        '0x48',
      ]),
      'x-input': 'converter-select',
    },
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
      description: `How often the value is sampled; 0 means ${DEFAULT_LINUX_SAMPLES_PER_SEC}.`,
      'x-unit': '1/s',
    },
  },
} as const satisfies JsonSchema;

const digitalInterrupt = {
  title: 'Digital interrupt',
  type: 'object',
  required: ['name', 'pin'],
  additionalProperties: false,
  properties: {
    name: text('Name', 'Name of the digital interrupt.', ['encoder_a']),
    pin: {
      ...text('Pin', 'Pin whose edges count: of the header, of the list above, a name or an offset of a line.', ['16']),
      'x-input': 'pin',
    },
    edges: {
      type: 'string',
      enum: ['both', 'rising', 'falling'],
      default: 'both',
      title: 'Edges',
      description: 'Which edges tick and count. Encoders need both.',
    },
    debounce_us: {
      type: 'integer',
      minimum: 0,
      maximum: 1_000_000,
      default: 0,
      title: 'Debounce',
      description: 'An edge counts when the level has stayed for so long; 0 for every edge.',
      'x-unit': 'µs',
    },
    bias,
    active_low: activeLow,
  },
} as const satisfies JsonSchema;

export const linuxBoardSchema = {
  title: 'Linux board',
  description:
    'The GPIO lines, PWM channels, SPI and I2C converters of this computer, or of a board on its USB. Every output falls to its safe level when the program stops, hangs or dies.',
  type: 'object',
  examples: [
    {
      pins: [
        { name: 'left_in1', pin: '11' },
        { name: 'relay', device_name: 'gpiochip0', line_number: 17 },
        { name: 'fan', pwm_chip_sysfs_dir: '/sys/class/pwm/pwmchip0', pwm_id: 0 },
      ],
      analogs: [{ name: 'pot', pin: '0', chip_select: '0', spi_bus: '0', average_over_ms: 100, samples_per_sec: 50 }],
      digital_interrupts: [
        { name: 'enc_a', pin: '16', bias: 'pull-up', debounce_us: 20 },
        { name: 'enc_b', pin: '18', bias: 'pull-up', debounce_us: 20 },
      ],
      expiry_ms: 1_000,
      pwm_frequency_hz: 1_000,
      simulated_motors: [
        {
          pins: { a: '11', b: '13', pwm: '32', en_high: '36' },
          encoder_pins: { a: 'enc_a', b: 'enc_b' },
          ticks_per_rotation: 600,
          max_rpm: 120,
          time_constant_ms: 150,
          friction: 0.1,
        },
        { pins: { pwm: '33', dir: '35', en_low: '37' } },
      ],
    },
  ],
  additionalProperties: false,
  properties: {
    header: {
      type: 'string',
      enum: ['raspberry-pi', 'jetson-orin-nano', 'none'],
      title: 'Header',
      description: 'Which line is behind which pin of a header. Without it: by what the computer says it is.',
      'x-columns': 2,
    },
    chip: {
      type: 'string',
      minLength: 1,
      title: 'GPIO chip',
      description:
        'Path, name, label or stable id of the chip that plain line numbers mean. Without it: the chip of the header, else the only chip.',
      'x-input': 'gpio-chip',
      examples: ['/dev/gpiochip0'],
    },
    pins: {
      type: 'array',
      title: 'Pins',
      description:
        'Names of your own for lines and PWM channels, and what is special about a pin. Others need no entry.',
      items: pin,
    },
    analogs: {
      type: 'array',
      title: 'Analogs',
      description: 'Inputs of analog-to-digital converters on SPI or I2C.',
      items: analog,
      'x-in-place': true,
    },
    digital_interrupts: {
      type: 'array',
      title: 'Digital interrupts',
      description: 'Inputs whose edges are counted and told, with the time of the kernel.',
      items: digitalInterrupt,
    },
    expiry_ms: {
      type: 'integer',
      minimum: 150,
      maximum: 60_000,
      default: linuxBoardDefaults.expiryMs,
      title: 'Outputs expire after',
      description: 'Time that the program may hang before every output is driven to its safe level.',
      'x-unit': 'ms',
    },
    pwm_frequency_hz: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000_000,
      default: linuxBoardDefaults.pwmFrequencyHz,
      title: 'PWM frequency',
      description: 'Of a pin that is given a duty cycle and no frequency.',
      'x-unit': 'Hz',
      'x-in-place': true,
    },
    simulated_motors: simulatedMotorsSchema({
      description:
        'Motors at the wires while the server runs with -simulate-hardware, to try the machine without any. On real wires they do nothing.',
      encoderPins: 'Pins, or digital interrupts, at which the motor shows the edges of its encoder.',
    }),
  },
} as const satisfies JsonSchema;

/** Attributes of board model `linux`. */
export type LinuxBoardAttributes = ValueOf<typeof linuxBoardSchema>;

/** An entry of `pins`: a pin under a custom name, with the keys of the public ecosystem and some of ours. */
export type LinuxPinAttributes = ValueOf<typeof pin>;

/** An entry of `analogs`: as specified for board model `fake`, plus the converter. */
export type LinuxAnalogAttributes = ValueOf<typeof analog>;
export type AdcChipName = (typeof adcChips)[number];

export type LinuxInterruptAttributes = ValueOf<typeof digitalInterrupt>;
