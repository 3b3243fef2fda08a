import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { addressed, RemoteResource, type RemotePlace } from '../../apis/remote-resource.ts';
import type { Actuator, CallOptions } from '../../apis/resource.ts';

/**
 * Something of another process that moves, of an API that this program has no
 * definition of. In every API that moves, the public ones and those made like
 * them, Stop and IsMoving have the messages that a motor's have.
 */
export class ActuatorClient extends RemoteResource<typeof MotorServiceDefinition> implements Actuator {
  /** @param service full name of the API's service, in our spelling */
  constructor(service: string, place: RemotePlace) {
    super({ ...MotorServiceDefinition, fullName: service } as unknown as typeof MotorServiceDefinition, place);
  }

  async stop(options?: CallOptions): Promise<void> {
    await this.call('stop', addressed(this.name, options), options);
  }

  async isMoving(): Promise<boolean> {
    return (await this.call('isMoving', { name: this.name })).isMoving;
  }
}
