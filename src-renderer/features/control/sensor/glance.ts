import { SensorServiceDefinition } from '../../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { decimals, glanceAt, MAX_GLANCE_VALUES, type Glances } from '../values/glance.ts';

/** The plain readings. Values inside a compound reading are shown by Control only. */
export const sensorGlances: Glances = () => [
  glanceAt(SensorServiceDefinition.methods.getReadings, {}, ({ readings }) =>
    Object.entries(readings)
      .flatMap(([label, reading]) => {
        if (typeof reading === 'number') return [{ label, value: decimals(reading, 2), unit: '' }];
        return typeof reading === 'string' || typeof reading === 'boolean'
          ? [{ label, value: String(reading), unit: '' }]
          : [];
      })
      .slice(0, MAX_GLANCE_VALUES),
  ),
];
