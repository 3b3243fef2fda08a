import type { Card } from '../card.ts';

export default {
  apis: ['core:service:data_manager'],
  kind: 'others',
  isWide: true,
  component: () => import('./DataManagerCard.vue'),
  service: async () =>
    (await import('../../../../proto/gen/core/service/datamanager/v1/data_manager.ts')).DataManagerServiceDefinition,
} satisfies Card;
