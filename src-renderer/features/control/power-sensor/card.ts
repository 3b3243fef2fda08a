import type { Card } from '../card.ts';

export default {
  apis: ['core:component:power_sensor'],
  kind: 'sensors',
  isWide: false,
  component: () => import('./PowerSensorCard.vue'),
  service: async () =>
    (await import('../../../../proto/gen/core/component/powersensor/v1/powersensor.ts')).PowerSensorServiceDefinition,
  glances: async () => (await import('./glance.ts')).powerSensorGlances,
} satisfies Card;
