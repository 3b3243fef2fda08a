import type { Card } from '../card.ts';

export default {
  apis: ['core:service:vision'],
  kind: 'sensors',
  isWide: true,
  component: () => import('./VisionCard.vue'),
  service: async () => (await import('../../../../proto/gen/core/service/vision/v1/vision.ts')).VisionServiceDefinition,
} satisfies Card;
