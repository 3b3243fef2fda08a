import type { Card } from '../card.ts';

export default {
  apis: ['core:component:sensor'],
  kind: 'sensors',
  isWide: false,
  component: () => import('./SensorCard.vue'),
  service: async () =>
    (await import('../../../../proto/gen/core/component/sensor/v1/sensor.ts')).SensorServiceDefinition,
  glances: async () => (await import('./glance.ts')).sensorGlances,
} satisfies Card;
