import { defineApi } from './api.ts';
import { callOptions } from './arguments.ts';
import { componentHandlers } from './common-handlers.ts';
import { SensorClient } from './sensor-client.ts';
import type { Sensor } from './sensor.ts';
import { ArmatureError } from '../base/errors.ts';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';

/** How sensors are served (wire contract 4.2, SensorService). No readings at all are an error (4.1). */
export const sensorApi = defineApi<Sensor, typeof SensorServiceDefinition>({
  api: 'core:component:sensor',
  service: SensorServiceDefinition,
  isActuator: false,
  client: (place) => new SensorClient(place),
  handlers: {
    ...componentHandlers,
    async getReadings(sensor, request, call) {
      const readings = await sensor.readings(callOptions(request, call));
      if (readings == null) {
        throw new ArmatureError('hardware.failed', `Sensor "${sensor.name}" returned no readings.`);
      }
      return { readings };
    },
  },
});
