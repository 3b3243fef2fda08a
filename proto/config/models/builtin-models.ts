import type { JsonSchema } from '../json-schema.ts';
import { fakeBoardSchema } from './board-fake.ts';
import { fakeEncoderSchema, incrementalEncoderSchema } from './encoder.ts';
import { fakeGenericSchema } from './generic-fake.ts';
import { fakeMotorSchema } from './motor-fake.ts';
import { gpioMotorSchema } from './motor-gpio.ts';
import { fakeSensorSchema } from './sensor-fake.ts';

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
}

/** The models that need no module. One list for the machine that builds them and the window that offers them. */
export const builtinModels: readonly ModelSummary[] = [
  {
    api: 'core:component:board',
    model: 'core:builtin:fake',
    summary: 'A board without hardware, with simulated motors',
    schema: fakeBoardSchema,
  },
  {
    api: 'core:component:motor',
    model: 'core:builtin:gpio',
    summary: 'A DC motor behind a driver on pins of a board, with or without an encoder',
    schema: gpioMotorSchema,
  },
  {
    api: 'core:component:motor',
    model: 'core:builtin:fake',
    summary: 'A motor without hardware',
    schema: fakeMotorSchema,
  },
  {
    api: 'core:component:encoder',
    model: 'core:builtin:incremental',
    summary: 'A quadrature encoder on two digital interrupts of a board',
    schema: incrementalEncoderSchema,
  },
  {
    api: 'core:component:encoder',
    model: 'core:builtin:fake',
    summary: 'An encoder without hardware, at constant speed',
    schema: fakeEncoderSchema,
  },
  {
    api: 'core:component:sensor',
    model: 'core:builtin:fake',
    summary: 'A sensor without hardware: fixed readings and waves',
    schema: fakeSensorSchema,
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
