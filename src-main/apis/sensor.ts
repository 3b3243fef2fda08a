import { defineApi, type ResourceApi } from './api.ts';
import { jsonObject, type Field } from './fields.ts';
import { methodsOf } from './method.ts';
import type { CallOptions, JsonObject, Resource } from './resource.ts';
import { ArmatureError } from '../base/errors.ts';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';

export interface Sensor extends Resource {
  /** Readings by name. `null` or `undefined` reach the caller as an error. */
  readings(options?: CallOptions): Promise<JsonObject | null | undefined>;
}

/** @internal */
export const readingsField: Field<JsonObject | null | undefined, Readonly<Record<string, unknown>> | undefined> = {
  write: (readings, { name }) => {
    if (readings == null) throw new ArmatureError('hardware.failed', `Sensor "${name}" returned no readings.`);
    return readings;
  },
  read: (wire) => jsonObject(wire),
};

const { read } = methodsOf(SensorServiceDefinition);

/** @internal */
export const sensorApi: ResourceApi<Sensor, typeof SensorServiceDefinition> = defineApi({
  api: 'core:component:sensor',
  service: SensorServiceDefinition,
  methods: { readings: read('getReadings', ['readings', readingsField], {}, { endsWithCaller: true }) },
});
