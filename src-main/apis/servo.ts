import { defineApi, type ResourceApi } from './api.ts';
import type { Field } from './fields.ts';
import { methodsOf } from './method.ts';
import type { Actuator, CallOptions } from './resource.ts';
import { ServoServiceDefinition } from '../../proto/gen/core/component/servo/v1/servo.ts';

/** A servo: goes to an angle and holds it. */
export interface Servo extends Actuator {
  /**
   * Moves it to an angle in degrees, clamped to its range. Settles when the command is sent, not when the angle is
   * reached.
   */
  move(angleDeg: number, options?: CallOptions): Promise<void>;
  /**
   * The current or last commanded angle in degrees. Never moves it. Throws `call.failed_precondition` if that is
   * unknown.
   */
  position(options?: CallOptions): Promise<number>;
}

/** The wire has no other values. */
const wholeDegrees: Field<number> = { write: (value) => Math.max(0, Math.round(value)), read: (wire) => wire };

const { call, read } = methodsOf(ServoServiceDefinition);

/** @internal */
export const servoApi: ResourceApi<Servo, typeof ServoServiceDefinition> = defineApi({
  api: 'core:component:servo',
  service: ServoServiceDefinition,
  methods: {
    // Some models of modules answer when the servo has reached the angle.
    move: call('move', { angleDeg: wholeDegrees }, { isMotion: true }),
    position: read('getPosition', ['positionDeg', wholeDegrees]),
    stop: call('stop'),
    isMoving: read('isMoving', 'isMoving'),
  },
});
