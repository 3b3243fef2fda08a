import type { Card } from '../card.ts';

export default {
  apis: ['core:component:switch'],
  kind: 'others',
  isWide: false,
  component: () => import('./SwitchCard.vue'),
  service: async () =>
    (await import('../../../../proto/gen/core/component/switch/v1/switch.ts')).SwitchServiceDefinition,
} satisfies Card;
