import type { Card } from '../card.ts';

export default {
  apis: ['core:component:board'],
  kind: 'boards',
  isWide: false,
  component: () => import('./BoardCard.vue'),
  service: async () => (await import('../../../../proto/gen/core/component/board/v1/board.ts')).BoardServiceDefinition,
  glances: async () => (await import('./glance.ts')).boardGlances,
} satisfies Card;
