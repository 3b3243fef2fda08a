import type { ModelCatalog } from './catalog-type.ts';
import type { CatalogEntry } from './model.ts';
import { checkFilePattern } from './sensor-file/file-pattern.ts';
import type { JsonObject } from '../../apis/resource.ts';
import { ArmatureError } from '../../base/errors.ts';
import { ComputerHardware } from '../../hardware/computer-hardware.ts';
import { findBuiltinModel, type ModelSummary } from '../../../proto/config/models/builtin-models.ts';
import type { IncrementalEncoderAttributes, SingleEncoderAttributes } from '../../../proto/config/models/encoder.ts';
import { isEncoded, type GpioMotorAttributes } from '../../../proto/config/models/motor-gpio.ts';
import type { FileSensorAttributes } from '../../../proto/config/models/sensor-file.ts';
import type { AnalogSensorAttributes } from '../../../proto/config/models/sensor-analog.ts';
import type { GpioServoAttributes } from '../../../proto/config/models/servo-gpio.ts';

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

/** What the shared list says of a model; the code behind it is what this file adds. */
function described(api: string, model: string): ModelSummary {
  const summary = findBuiltinModel(api, model);
  if (summary === undefined) throw new ArmatureError('internal.bug', `${model} of ${api} is not in builtin-models.ts.`);
  return summary;
}

const fileSensor = described('core:component:sensor', 'core:builtin:file');

const entriesOn = (hardware: ComputerHardware): readonly CatalogEntry[] => [
  {
    ...described('core:component:board', 'core:builtin:fake'),
    inPlace: [],
    isActuator: false,
    mayCoexist: false,
    load: once(() => import('./board-fake/build.ts')),
  },
  {
    ...described('core:component:board', 'core:builtin:linux'),
    inPlace: ['analogs', 'pwm_frequency_hz'],
    isActuator: false,
    mayCoexist: false,
    load: once(async () => ({ build: (await import('./board-linux/build.ts')).buildOn(hardware) })),
  },
  {
    ...described('core:component:motor', 'core:builtin:gpio'),
    inPlace: [
      'max_rpm',
      'min_power_pct',
      'max_power_pct',
      'pwm_freq',
      'ticks_per_rotation',
      'power_slew_per_sec',
      'ramp_rate',
      'position_tolerance_deg',
      'control_parameters',
    ],
    isActuator: true,
    mayCoexist: false,
    dependencies(attributes) {
      const { board, encoder = '' } = as<GpioMotorAttributes>(attributes);
      return { required: isEncoded({ encoder }) ? [board, encoder] : [board], optional: [] };
    },
    load: once(() => import('./motor-gpio/build.ts')),
  },
  {
    ...described('core:component:motor', 'core:builtin:fake'),
    inPlace: ['max_rpm', 'min_power_pct', 'max_power_pct'],
    isActuator: true,
    mayCoexist: false,
    dependencies({ encoder }) {
      return { required: typeof encoder === 'string' && encoder !== '' ? [encoder] : [], optional: [] };
    },
    load: once(() => import('./motor-fake/build.ts')),
  },
  {
    ...described('core:component:servo', 'core:builtin:gpio'),
    inPlace: [
      'min_angle_deg',
      'max_angle_deg',
      'starting_position_deg',
      'frequency_hz',
      'min_width_us',
      'max_width_us',
      'pwm_resolution',
      'speed_deg_per_sec',
    ],
    isActuator: true,
    mayCoexist: false,
    dependencies: (attributes) => ({ required: [as<GpioServoAttributes>(attributes).board], optional: [] }),
    load: once(() => import('./servo-gpio/build.ts')),
  },
  {
    ...described('core:component:servo', 'core:builtin:fake'),
    inPlace: [],
    isActuator: true,
    mayCoexist: false,
    load: once(() => import('./servo-fake/build.ts')),
  },
  {
    ...described('core:component:encoder', 'core:builtin:incremental'),
    inPlace: [],
    isActuator: false,
    mayCoexist: false,
    dependencies: (attributes) => ({
      required: [as<IncrementalEncoderAttributes>(attributes).board],
      optional: [],
    }),
    load: once(() => import('./encoder-incremental/build.ts')),
  },
  {
    ...described('core:component:encoder', 'core:builtin:single'),
    inPlace: [],
    isActuator: false,
    mayCoexist: false,
    dependencies: (attributes) => ({ required: [as<SingleEncoderAttributes>(attributes).board], optional: [] }),
    load: once(() => import('./encoder-single/build.ts')),
  },
  {
    ...described('core:component:encoder', 'core:builtin:fake'),
    inPlace: ['ticks_per_sec', 'ticks_per_rotation', 'update_rate_msec'],
    isActuator: false,
    mayCoexist: false,
    load: once(() => import('./encoder-fake/build.ts')),
  },
  {
    ...described('core:component:sensor', 'core:builtin:analog'),
    inPlace: ['analog', 'scale', 'offset', 'unit'],
    isActuator: false,
    mayCoexist: false,
    dependencies: (attributes) => ({ required: [as<AnalogSensorAttributes>(attributes).board], optional: [] }),
    load: once(() => import('./sensor-analog/build.ts')),
  },
  {
    ...fileSensor,
    check: (attributes) => [
      ...(fileSensor.check?.(attributes) ?? []),
      ...checkFilePattern(as<FileSensorAttributes>(attributes as JsonObject)),
    ],
    inPlace: [],
    isActuator: false,
    mayCoexist: true,
    load: once(() => import('./sensor-file/build.ts')),
  },
  {
    ...described('core:component:sensor', 'core:builtin:fake'),
    inPlace: ['readings'],
    isActuator: false,
    mayCoexist: true,
    load: once(() => import('./sensor-fake/build.ts')),
  },
  ...(['core:component:generic', 'core:service:generic'] as const).map((api): CatalogEntry => ({
    ...described(api, 'core:builtin:fake'),
    inPlace: [],
    isActuator: false,
    mayCoexist: true,
    load: once(() => import('./generic-fake/build.ts')),
  })),
];

/**
 * The built-in models. Descriptions are at hand; the code of a model is loaded when a configuration names it.
 * @param hardware what boards of this computer drive
 */
export function builtinModels(hardware: ComputerHardware): ModelCatalog {
  const entries = entriesOn(hardware);
  const byKey = new Map(entries.map((entry) => [`${entry.api} ${entry.model}`, entry]));
  const apiNames = [...new Set(entries.map((entry) => entry.api))].sort();
  return {
    entries: () => entries,
    find: (api, model) => byKey.get(`${api} ${model}`),
    apis: () => apiNames,
  };
}

/** For who only describes, checks and plans, or builds on the wires of this computer. */
export const builtinCatalog: ModelCatalog = builtinModels(new ComputerHardware('linux'));
