import { defineApi, type ResourceApi } from './api.ts';
import { methodsOf } from './method.ts';
import type { CallOptions } from './resource.ts';
import { readingsField, type Sensor } from './sensor.ts';
import { PowerSensorServiceDefinition } from '../../proto/gen/core/component/powersensor/v1/powersensor.ts';

export interface Voltage {
  readonly volts: number;
  /** Alternating current: the value is effective (RMS). */
  readonly isAc: boolean;
}

export interface Current {
  readonly amperes: number;
  /** Alternating current: the value is effective (RMS). */
  readonly isAc: boolean;
}

/** Measures electrical power. Its readings are named `volts`, `amps`, `watts` and `is_ac`, as public clients expect. */
export interface PowerSensor extends Sensor {
  voltage(options?: CallOptions): Promise<Voltage>;
  current(options?: CallOptions): Promise<Current>;
  /** Watts. */
  power(options?: CallOptions): Promise<number>;
}

const { read } = methodsOf(PowerSensorServiceDefinition);
const measured = { endsWithCaller: true };

/** @internal */
export const powerSensorApi: ResourceApi<PowerSensor, typeof PowerSensorServiceDefinition> = defineApi({
  api: 'core:component:power_sensor',
  service: PowerSensorServiceDefinition,
  methods: {
    voltage: read('getVoltage', { volts: 'volts', isAc: 'isAc' }, {}, measured),
    current: read('getCurrent', { amperes: 'amperes', isAc: 'isAc' }, {}, measured),
    power: read('getPower', 'watts', {}, measured),
    readings: read('getReadings', ['readings', readingsField], {}, measured),
  },
});
