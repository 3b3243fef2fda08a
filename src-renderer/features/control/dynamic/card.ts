import type { Card } from '../card.ts';

export default {
  apis: ['core:component:generic', 'core:service:generic'],
  kind: 'others',
  isWide: false,
  component: () => import('./GenericCard.vue'),
} satisfies Card;
