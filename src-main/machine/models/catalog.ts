import type { ModelCatalog } from './catalog-type.ts';
import type { CatalogEntry } from './model.ts';
import type { JsonObject } from '../../apis/resource.ts';
import { checkFakeBoard, fakeBoardSchema, type FakeBoardAttributes } from '../../../proto/config/models/board-fake.ts';
import {
  checkIncrementalEncoder,
  fakeEncoderSchema,
  incrementalEncoderSchema,
  type IncrementalEncoderAttributes,
} from '../../../proto/config/models/encoder.ts';
import { fakeGenericSchema } from '../../../proto/config/models/generic-fake.ts';
import { fakeMotorSchema } from '../../../proto/config/models/motor-fake.ts';
import {
  checkGpioMotor,
  gpioMotorSchema,
  isEncoded,
  type GpioMotorAttributes,
} from '../../../proto/config/models/motor-gpio.ts';
import { checkFakeSensor, fakeSensorSchema } from '../../../proto/config/models/sensor-fake.ts';

/** Attributes that have passed a model's schema, in the type that schema describes. */
function as<A>(attributes: JsonObject): A {
  return attributes as unknown as A;
}

/** Imports a model's code once. Each further `import()` of it would cost more than most models take to build. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((thrown: unknown) => {
      loading = undefined; // not remembered: the graph tries again, and a file may be back by then
      throw thrown;
    }));
}

const entries: readonly CatalogEntry[] = [
  {
    api: 'core:component:board',
    model: 'core:builtin:fake',
    summary: 'A board without hardware, with simulated motors',
    schema: fakeBoardSchema,
    inPlace: [],
    isActuator: false,
    mayCoexist: false,
    check: (attributes) => checkFakeBoard(as<FakeBoardAttributes>(attributes)),
    load: once(() => import('./board-fake/build.ts')),
  },
  {
    api: 'core:component:motor',
    model: 'core:builtin:gpio',
    summary: 'A DC motor behind a driver on pins of a board, with or without an encoder',
    schema: gpioMotorSchema,
    inPlace: [
      'max_rpm',
      'min_power_pct',
      'max_power_pct',
      'pwm_freq',
      'ticks_per_rotation',
      'power_slew_per_sec',
      'ramp_rate',
      'control_parameters',
    ],
    isActuator: true,
    mayCoexist: false,
    check: (attributes) => checkGpioMotor(as<GpioMotorAttributes>(attributes)),
    dependencies(attributes) {
      const { board, encoder = '' } = as<GpioMotorAttributes>(attributes);
      return { required: isEncoded({ encoder }) ? [board, encoder] : [board], optional: [] };
    },
    load: once(() => import('./motor-gpio/build.ts')),
  },
  {
    api: 'core:component:motor',
    model: 'core:builtin:fake',
    summary: 'A motor without hardware',
    schema: fakeMotorSchema,
    inPlace: ['max_rpm', 'min_power_pct', 'max_power_pct'],
    isActuator: true,
    mayCoexist: false,
    load: once(() => import('./motor-fake/build.ts')),
  },
  {
    api: 'core:component:encoder',
    model: 'core:builtin:incremental',
    summary: 'A quadrature encoder on two digital interrupts of a board',
    schema: incrementalEncoderSchema,
    inPlace: [],
    isActuator: false,
    mayCoexist: false,
    check: (attributes) => checkIncrementalEncoder(as<IncrementalEncoderAttributes>(attributes)),
    dependencies: (attributes) => ({
      required: [as<IncrementalEncoderAttributes>(attributes).board],
      optional: [],
    }),
    load: once(() => import('./encoder-incremental/build.ts')),
  },
  {
    api: 'core:component:encoder',
    model: 'core:builtin:fake',
    summary: 'An encoder without hardware, at constant speed',
    schema: fakeEncoderSchema,
    inPlace: ['ticks_per_sec', 'ticks_per_rotation'],
    isActuator: false,
    mayCoexist: false,
    load: once(() => import('./encoder-fake/build.ts')),
  },
  {
    api: 'core:component:sensor',
    model: 'core:builtin:fake',
    summary: 'A sensor without hardware: fixed readings and waves',
    schema: fakeSensorSchema,
    inPlace: ['readings'],
    isActuator: false,
    mayCoexist: true,
    check: checkFakeSensor,
    load: once(() => import('./sensor-fake/build.ts')),
  },
  ...(['core:component:generic', 'core:service:generic'] as const).map((api): CatalogEntry => ({
    api,
    model: 'core:builtin:fake',
    summary: 'Answers every command with the command itself',
    schema: fakeGenericSchema,
    inPlace: [],
    isActuator: false,
    mayCoexist: true,
    load: once(() => import('./generic-fake/build.ts')),
  })),
];

const byKey = new Map(entries.map((entry) => [`${entry.api} ${entry.model}`, entry]));
const apiNames = [...new Set(entries.map((entry) => entry.api))].sort();

/** The built-in models. Descriptions are at hand; the code of a model is loaded when a configuration names it. */
export const builtinCatalog: ModelCatalog = {
  entries: () => entries,
  find: (api, model) => byKey.get(`${api} ${model}`),
  apis: () => apiNames,
};
