import type { Card } from '../card.ts';

export default {
  apis: ['core:component:motor'],
  kind: 'motors',
  isWide: true,
  component: () => import('./MotorCard.vue'),
  service: async () => (await import('../../../../proto/gen/core/component/motor/v1/motor.ts')).MotorServiceDefinition,
  glances: async () => (await import('./glance.ts')).motorGlances,
  isMovedByCommands: true,
} satisfies Card;
