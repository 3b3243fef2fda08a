import type { JsonSchema } from '../json-schema.ts';
import type { AttributeProblem } from './attribute-problem.ts';
import { checkFakeBoard, fakeBoardSchema, type FakeBoardAttributes } from './board-fake.ts';
import { checkLinuxBoard } from './board-linux-rules.ts';
import { linuxBoardSchema, type LinuxBoardAttributes } from './board-linux.ts';
import {
  checkIncrementalEncoder,
  fakeEncoderSchema,
  incrementalEncoderSchema,
  singleEncoderSchema,
  type IncrementalEncoderAttributes,
} from './encoder.ts';
import { fakeGenericSchema } from './generic-fake.ts';
import { checkFakeMotor, fakeMotorSchema, type FakeMotorAttributes } from './motor-fake.ts';
import { checkGpioMotor, gpioMotorSchema, type GpioMotorAttributes } from './motor-gpio.ts';
import { analogSensorSchema } from './sensor-analog.ts';
import { checkFakeSensor, fakeSensorSchema } from './sensor-fake.ts';
import { checkFileSensor, fileSensorSchema, type FileSensorAttributes } from './sensor-file.ts';
import { fakeServoSchema } from './servo-fake.ts';
import { checkGpioServo, gpioServoSchema, type GpioServoAttributes } from './servo-gpio.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** Attributes that have passed a model's schema, in the type that schema describes. */
function as<A>(attributes: Attributes): A {
  return attributes as unknown as A;
}

/** What a person choosing a model, a form and a validator need to know of it. */
export interface ModelSummary {
  /** `core:component:motor`. */
  readonly api: string;
  /** Triplet in our spelling, `core:builtin:gpio`. */
  readonly model: string;
  /** One line for a person choosing a model. */
  readonly summary: string;
  /** JSON Schema of `attributes`. */
  readonly schema: JsonSchema;
  /** Rules a schema cannot say. Attributes have passed the schema. */
  check?(attributes: Attributes): readonly AttributeProblem[];
}

/** The models that need no module. One list for the machine that builds them and the window that offers them. */
export const builtinModels: readonly ModelSummary[] = [
  {
    api: 'core:component:board',
    model: 'core:builtin:fake',
    summary: 'A board without hardware, with simulated motors',
    schema: fakeBoardSchema,
    check: (attributes) => checkFakeBoard(as<FakeBoardAttributes>(attributes)),
  },
  {
    api: 'core:component:board',
    model: 'core:builtin:linux',
    summary: 'GPIO, PWM and analog converters of this computer, or of a board on its USB',
    schema: linuxBoardSchema,
    check: (attributes) => checkLinuxBoard(as<LinuxBoardAttributes>(attributes)),
  },
  {
    api: 'core:component:motor',
    model: 'core:builtin:gpio',
    summary: 'A DC motor behind a driver on pins of a board, with or without an encoder',
    schema: gpioMotorSchema,
    check: (attributes) => checkGpioMotor(as<GpioMotorAttributes>(attributes)),
  },
  {
    api: 'core:component:motor',
    model: 'core:builtin:fake',
    summary: 'A motor without hardware',
    schema: fakeMotorSchema,
    check: (attributes) => checkFakeMotor(as<FakeMotorAttributes>(attributes)),
  },
  {
    api: 'core:component:servo',
    model: 'core:builtin:gpio',
    summary: 'A hobby servo on a PWM pin of a board',
    schema: gpioServoSchema,
    check: (attributes) => checkGpioServo(as<GpioServoAttributes>(attributes)),
  },
  {
    api: 'core:component:servo',
    model: 'core:builtin:fake',
    summary: 'A servo without hardware',
    schema: fakeServoSchema,
  },
  {
    api: 'core:component:encoder',
    model: 'core:builtin:incremental',
    summary: 'A quadrature encoder on two digital interrupts of a board',
    schema: incrementalEncoderSchema,
    check: (attributes) => checkIncrementalEncoder(as<IncrementalEncoderAttributes>(attributes)),
  },
  {
    api: 'core:component:encoder',
    model: 'core:builtin:single',
    summary: 'An encoder on one digital interrupt, counting in the direction of its motor',
    schema: singleEncoderSchema,
  },
  {
    api: 'core:component:encoder',
    model: 'core:builtin:fake',
    summary: 'An encoder without hardware, at constant speed or turned by a fake motor',
    schema: fakeEncoderSchema,
  },
  {
    api: 'core:component:sensor',
    model: 'core:builtin:analog',
    summary: 'A scaled value from an analog of a board',
    schema: analogSensorSchema,
  },
  {
    api: 'core:component:sensor',
    model: 'core:builtin:file',
    summary: 'A number from a text file, such as those in /sys',
    schema: fileSensorSchema,
    check: (attributes) => checkFileSensor(as<FileSensorAttributes>(attributes)),
  },
  {
    api: 'core:component:sensor',
    model: 'core:builtin:fake',
    summary: 'A sensor without hardware: fixed readings and waves',
    schema: fakeSensorSchema,
    check: checkFakeSensor,
  },
  ...['core:component:generic', 'core:service:generic'].map((api) => ({
    api,
    model: 'core:builtin:fake',
    summary: 'Answers every command with the command itself',
    schema: fakeGenericSchema,
  })),
];

/** The built-in model of an API, both in our spelling. */
export function findBuiltinModel(api: string, model: string): ModelSummary | undefined {
  return builtinModels.find((entry) => entry.api === api && entry.model === model);
}
