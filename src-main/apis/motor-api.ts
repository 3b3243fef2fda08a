import { defineApi } from './api.ts';
import { clamped, extraOf, finite } from './arguments.ts';
import { componentHandlers } from './common-handlers.ts';
import { MotorClient } from './motor-client.ts';
import type { Motor } from './motor.ts';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';

/**
 * How motors are served (wire contract 4.2, MotorService). Only calls that
 * last as long as their motion take the caller's signal: the others have
 * answered before it could matter, and what they set in motion belongs to the
 * session or connection.
 */
export const motorApi = defineApi<Motor, typeof MotorServiceDefinition>({
  api: 'core:component:motor',
  service: MotorServiceDefinition,
  isActuator: true,
  client: (place) => new MotorClient(place),
  handlers: {
    ...componentHandlers,
    async setPower(motor, request) {
      await motor.setPower(clamped(motor, 'power_pct', request.powerPct, -1, 1), { extra: extraOf(request) });
      return {};
    },
    async goFor(motor, request, call) {
      const rpm = finite(motor, 'rpm', request.rpm);
      const revolutions = finite(motor, 'revolutions', request.revolutions);
      await motor.goFor(rpm, revolutions, { extra: extraOf(request), signal: call.signal });
      return {};
    },
    async goTo(motor, request, call) {
      const rpm = finite(motor, 'rpm', request.rpm);
      const position = finite(motor, 'position_revolutions', request.positionRevolutions);
      await motor.goTo(rpm, position, { extra: extraOf(request), signal: call.signal });
      return {};
    },
    async setRPM(motor, request) {
      await motor.setRpm(finite(motor, 'rpm', request.rpm), { extra: extraOf(request) });
      return {};
    },
    async resetZeroPosition(motor, request) {
      await motor.resetZeroPosition(finite(motor, 'offset', request.offset), { extra: extraOf(request) });
      return {};
    },
    async getPosition(motor, request) {
      return { position: await motor.position({ extra: extraOf(request) }) };
    },
    async getProperties(motor, request) {
      const { isPositionReported } = await motor.properties({ extra: extraOf(request) });
      return { positionReporting: isPositionReported };
    },
    async stop(motor, request) {
      await motor.stop({ extra: extraOf(request), isCommanded: true });
      return {};
    },
    async isPowered(motor) {
      const { isOn, power } = await motor.poweredState();
      return { isOn, powerPct: power };
    },
    async isMoving(motor) {
      return { isMoving: await motor.isMoving() };
    },
  },
});
