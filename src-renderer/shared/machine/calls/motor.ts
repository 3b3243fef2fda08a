import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { MotorCalls } from '../machine.ts';
import { shortName } from '../machine-view.ts';
import { extra, quick, stopTimeoutMs } from './call-options.ts';

/** What moves goes through `session`. What stops and what only reads goes past it, and waits for no session. */
export function motorCalls(session: Channel, link: Channel): MotorCalls {
  const client = createClient(MotorServiceDefinition, session);
  const direct = createClient(MotorServiceDefinition, link);
  return {
    async setPower(fullName, power) {
      await client.setPower({ name: shortName(fullName), powerPct: power, extra }, quick);
    },
    // These two answer when the motor is there: no deadline but the end of the link.
    async goFor(fullName, rpm, revolutions, signal) {
      await client.goFor({ name: shortName(fullName), rpm, revolutions, extra }, { signal });
    },
    async goTo(fullName, rpm, positionRevolutions, signal) {
      await client.goTo({ name: shortName(fullName), rpm, positionRevolutions, extra }, { signal });
    },
    async setRpm(fullName, rpm, signal) {
      await client.setRPM({ name: shortName(fullName), rpm, extra }, { ...quick, signal });
    },
    async resetZero(fullName) {
      await client.resetZeroPosition({ name: shortName(fullName), offset: 0, extra }, quick);
    },
    async stop(fullName) {
      await direct.stop({ name: shortName(fullName), extra }, { timeoutMs: stopTimeoutMs });
    },
    async reportsPosition(fullName) {
      return (await direct.getProperties({ name: shortName(fullName), extra }, quick)).positionReporting;
    },
  };
}
