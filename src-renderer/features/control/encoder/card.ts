import type { Card } from '../card.ts';

export default {
  apis: ['core:component:encoder'],
  kind: 'sensors',
  isWide: false,
  component: () => import('./EncoderCard.vue'),
  service: async () =>
    (await import('../../../../proto/gen/core/component/encoder/v1/encoder.ts')).EncoderServiceDefinition,
  glances: async () => (await import('./glance.ts')).encoderGlances,
} satisfies Card;
