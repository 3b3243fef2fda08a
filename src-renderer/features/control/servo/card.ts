import type { Card } from '../card.ts';

export default {
  apis: ['core:component:servo'],
  kind: 'motors',
  isWide: false,
  component: () => import('./ServoCard.vue'),
  service: async () => (await import('../../../../proto/gen/core/component/servo/v1/servo.ts')).ServoServiceDefinition,
} satisfies Card;
