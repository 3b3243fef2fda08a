import { defineApi, type ResourceApi } from './api.ts';
import type { Field } from './fields.ts';
import { methodsOf } from './method.ts';
import type { Actuator, CallOptions } from './resource.ts';
import { ServoServiceDefinition } from '../../proto/gen/core/component/servo/v1/servo.ts';

/** A servo: goes to an angle and holds it. */
export interface Servo extends Actuator {
  /** Sends it to an angle in degrees, clamped to its range. Settles when it is sent, not when it has arrived. */
  move(angleDeg: number, options?: CallOptions): Promise<void>;
  /**
   * Angle in degrees that it stands at or was last sent to. Never moves it. Throws `call.failed_precondition` where
   * that is not known.
   */
  position(options?: CallOptions): Promise<number>;
}

/** The wire carries no others. */
const wholeDegrees: Field<number> = { write: (value) => Math.max(0, Math.round(value)), read: (wire) => wire };

const { call, read } = methodsOf(ServoServiceDefinition);

/** @internal */
export const servoApi: ResourceApi<Servo, typeof ServoServiceDefinition> = defineApi({
  api: 'core:component:servo',
  service: ServoServiceDefinition,
  methods: {
    // Some models of modules answer when the servo has arrived.
    move: call('move', { angleDeg: wholeDegrees }, { isMotion: true }),
    position: read('getPosition', ['positionDeg', wholeDegrees]),
    stop: call('stop'),
    isMoving: read('isMoving', 'isMoving'),
  },
});
