import { addressed, RemoteResource, type RemotePlace } from './remote-resource.ts';
import type { CallOptions } from './resource.ts';
import type { Servo } from './servo.ts';
import { ServoServiceDefinition } from '../../proto/gen/core/component/servo/v1/servo.ts';

/** A servo of another process. It is told whole degrees: the wire carries no others. */
export class ServoClient extends RemoteResource<typeof ServoServiceDefinition> implements Servo {
  constructor(place: RemotePlace) {
    super(ServoServiceDefinition, place);
  }

  async move(angleDeg: number, options?: CallOptions): Promise<void> {
    const request = { ...addressed(this.name, options), angleDeg: Math.max(0, Math.round(angleDeg)) };
    await this.call('move', request, { ...options, timeoutMs: undefined });
  }

  async position(options?: CallOptions): Promise<number> {
    return (await this.call('getPosition', addressed(this.name, options), options)).positionDeg;
  }

  async stop(options?: CallOptions): Promise<void> {
    await this.call('stop', addressed(this.name, options), options);
  }

  async isMoving(): Promise<boolean> {
    return (await this.call('isMoving', { name: this.name })).isMoving;
  }
}
