import { BoardServiceDefinition } from '../../../../proto/gen/core/component/board/v1/board.ts';
import { EncoderServiceDefinition } from '../../../../proto/gen/core/component/encoder/v1/encoder.ts';
import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import { PowerSensorServiceDefinition } from '../../../../proto/gen/core/component/powersensor/v1/powersensor.ts';
import { SensorServiceDefinition } from '../../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { ServoServiceDefinition } from '../../../../proto/gen/core/component/servo/v1/servo.ts';
import type { Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import type { MethodDefinition } from '../../../link/client.ts';
import { isReady, pollOf, sensorHz } from '../../../shared/live/value-polls.ts';
import { shortName } from '../../../shared/machine/machine-view.ts';
import type { WatchRequest } from '../../../shared/machine/poll.ts';
import { readablePins } from '../../../shared/readings/counted-pins.ts';
import type { AppliedEntry } from '../../../shared/stores/applied-config.ts';

const motor = MotorServiceDefinition.methods;
const power = PowerSensorServiceDefinition.methods;
const board = BoardServiceDefinition.methods;

/** With more resources than this, all of them are polled less often. */
const MAX_BRISK = 20;

/** What a node of the picture shows, by API. Others show their state only. */
const shown: Readonly<Record<string, readonly MethodDefinition[]>> = {
  'core:component:motor': [motor.isMoving, motor.getPosition],
  'core:component:encoder': [EncoderServiceDefinition.methods.getPosition],
  'core:component:sensor': [SensorServiceDefinition.methods.getReadings],
  'core:component:power_sensor': [power.getVoltage, power.getCurrent],
  'core:component:servo': [ServoServiceDefinition.methods.getPosition],
};

/**
 * The polls for the values that some resources show.
 * @param all every resource of the machine: a pin is read only while the components that use it are ready, because
 * reading a pin that nothing holds would claim it
 */
export function nodePolls(
  resources: readonly Resource[],
  all: readonly Resource[],
  components: readonly AppliedEntry[],
): WatchRequest[] {
  const hz = resources.length > MAX_BRISK ? 1 : 2;
  return resources.filter(isReady).flatMap(({ name, api }) => {
    const wanted = (shown[api] ?? []).map((method) => ({
      method,
      request: {},
      hz: api.endsWith(':sensor') ? sensorHz : hz,
    }));
    const pins = api === 'core:component:board' ? readablePins(shortName(name), all, components) : [];
    const levels = pins.map((pin) => ({ method: board.getGPIO, request: { pin }, hz: 1 }));
    return [...wanted, ...levels].map((each) => pollOf(name, each));
  });
}
