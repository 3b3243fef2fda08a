import { defineApi } from './api.ts';
import { extraOf } from './arguments.ts';
import { componentHandlers } from './common-handlers.ts';
import { ServoClient } from './servo-client.ts';
import type { Servo } from './servo.ts';
import { ServoServiceDefinition } from '../../proto/gen/core/component/servo/v1/servo.ts';

/**
 * How servos are served (wire contract 4.2, ServoService). Angles are whole
 * degrees from 0 on the wire. Move has answered before its caller could leave:
 * what it set in motion belongs to the session or connection.
 */
export const servoApi = defineApi<Servo, typeof ServoServiceDefinition>({
  api: 'core:component:servo',
  service: ServoServiceDefinition,
  isActuator: true,
  client: (place) => new ServoClient(place),
  handlers: {
    ...componentHandlers,
    async move(servo, request) {
      await servo.move(request.angleDeg, { extra: extraOf(request) });
      return {};
    },
    async getPosition(servo, request) {
      const angleDeg = await servo.position({ extra: extraOf(request) });
      return { positionDeg: Math.max(0, Math.round(angleDeg)) };
    },
    async stop(servo, request) {
      await servo.stop({ extra: extraOf(request) });
      return {};
    },
    async isMoving(servo) {
      return { isMoving: await servo.isMoving() };
    },
  },
});
