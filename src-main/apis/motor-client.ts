import type { Motor, MotorPower, MotorProperties } from './motor.ts';
import { addressed, RemoteResource, type RemotePlace } from './remote-resource.ts';
import type { CallOptions } from './resource.ts';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';

/** A motor of another process. */
export class MotorClient extends RemoteResource<typeof MotorServiceDefinition> implements Motor {
  constructor(place: RemotePlace) {
    super(MotorServiceDefinition, place);
  }

  async setPower(powerPct: number, options?: CallOptions): Promise<void> {
    await this.call('setPower', { ...addressed(this.name, options), powerPct }, options);
  }

  async goFor(rpm: number, revolutions: number, options?: CallOptions): Promise<void> {
    const request = { ...addressed(this.name, options), rpm, revolutions };
    await this.call('goFor', request, { ...options, timeoutMs: undefined });
  }

  async goTo(rpm: number, positionRevolutions: number, options?: CallOptions): Promise<void> {
    const request = { ...addressed(this.name, options), rpm, positionRevolutions };
    await this.call('goTo', request, { ...options, timeoutMs: undefined });
  }

  async setRpm(rpm: number, options?: CallOptions): Promise<void> {
    await this.call('setRPM', { ...addressed(this.name, options), rpm }, options);
  }

  async resetZeroPosition(offset: number, options?: CallOptions): Promise<void> {
    await this.call('resetZeroPosition', { ...addressed(this.name, options), offset }, options);
  }

  async position(options?: CallOptions): Promise<number> {
    return (await this.call('getPosition', addressed(this.name, options), options)).position;
  }

  async properties(options?: CallOptions): Promise<MotorProperties> {
    const { positionReporting } = await this.call('getProperties', addressed(this.name, options), options);
    return { isPositionReported: positionReporting };
  }

  async poweredState(options?: CallOptions): Promise<MotorPower> {
    const { isOn, powerPct } = await this.call('isPowered', addressed(this.name, options), options);
    return { isOn, power: powerPct };
  }

  async stop(options?: CallOptions): Promise<void> {
    await this.call('stop', addressed(this.name, options), options);
  }

  async isMoving(): Promise<boolean> {
    return (await this.call('isMoving', { name: this.name })).isMoving;
  }
}
