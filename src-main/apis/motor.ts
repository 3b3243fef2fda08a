import { defineApi, type ResourceApi } from './api.ts';
import { clamped, finite } from './fields.ts';
import { methodsOf } from './method.ts';
import type { Actuator, CallOptions } from './resource.ts';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';

export interface MotorProperties {
  /** Whether `position` is measured. False if it is only estimated. */
  readonly isPositionReported: boolean;
}

export interface MotorPower {
  readonly isOn: boolean;
  /** Signed power sent to the motor, -1 to 1, after limits. */
  readonly power: number;
}

/** A motor. Every command replaces the running one. */
export interface Motor extends Actuator {
  /** @param power -1 to 1; negative turns backward. Below 0.01 it stops. Runs until changed. */
  setPower(power: number, options?: CallOptions): Promise<void>;
  /**
   * Turns by `revolutions` and stops; settles when done. Backward if exactly one argument is negative. Fails with
   * `call.cancelled` when the caller ends: the motor is stopped. Settles early when a Stop or a newer command replaces
   * it.
   */
  goFor(rpm: number, revolutions: number, options?: CallOptions): Promise<void>;
  /** Turns to a position counted from zero; the sign of `rpm` is ignored. Otherwise like {@link goFor}. */
  goTo(rpm: number, positionRevolutions: number, options?: CallOptions): Promise<void>;
  /** Turns at `rpm` until changed; negative is backward. */
  setRpm(rpm: number, options?: CallOptions): Promise<void>;
  /** Stops, and puts zero `offset` revolutions ahead of the current position, which then reads `-offset`. */
  resetZeroPosition(offset: number, options?: CallOptions): Promise<void>;
  /** Revolutions from zero. */
  position(options?: CallOptions): Promise<number>;
  properties(options?: CallOptions): Promise<MotorProperties>;
  poweredState(): Promise<MotorPower>;
}

const { call, read } = methodsOf(MotorServiceDefinition);
/** Other calls answer at once: what they move belongs to the session or connection. */
const motion = { isMotion: true, endsWithCaller: true };

/** @internal */
export const motorApi: ResourceApi<Motor, typeof MotorServiceDefinition> = defineApi({
  api: 'core:component:motor',
  service: MotorServiceDefinition,
  methods: {
    setPower: call('setPower', { powerPct: clamped(-1, 1) }),
    goFor: call('goFor', { rpm: finite, revolutions: finite }, motion),
    goTo: call('goTo', { rpm: finite, positionRevolutions: finite }, motion),
    setRpm: call('setRPM', { rpm: finite }),
    resetZeroPosition: call('resetZeroPosition', { offset: finite }),
    position: read('getPosition', 'position'),
    properties: read('getProperties', { isPositionReported: 'positionReporting' }),
    poweredState: read('isPowered', { isOn: 'isOn', power: 'powerPct' }),
    stop: call('stop'),
    isMoving: read('isMoving', 'isMoving'),
  },
});
