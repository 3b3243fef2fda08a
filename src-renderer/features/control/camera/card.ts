import type { Card } from '../card.ts';

export default {
  apis: ['core:component:camera'],
  kind: 'sensors',
  isWide: true,
  component: () => import('./CameraCard.vue'),
  service: async () =>
    (await import('../../../../proto/gen/core/component/camera/v1/camera.ts')).CameraServiceDefinition,
} satisfies Card;
