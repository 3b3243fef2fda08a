import { SensorServiceDefinition } from '../../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { decimals, glanceAt, mostShown, type Glances } from '../values/glance.ts';

/** The plain readings; what is inside of others Control shows. */
export const sensorGlances: Glances = () => [
  glanceAt(SensorServiceDefinition.methods.getReadings, {}, ({ readings }) =>
    Object.entries(readings)
      .flatMap(([label, reading]) => {
        if (typeof reading === 'number') return [{ label, value: decimals(reading, 2), unit: '' }];
        return typeof reading === 'string' || typeof reading === 'boolean'
          ? [{ label, value: String(reading), unit: '' }]
          : [];
      })
      .slice(0, mostShown),
  ),
];
