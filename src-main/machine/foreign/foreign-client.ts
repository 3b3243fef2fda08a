import { GenericServiceDefinition } from '../../../proto/gen/core/component/generic/v1/generic.ts';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { addressed, type RemoteEndpoint, RemoteResource } from '../../apis/remote-resource.ts';
import type { Actuator, CallOptions, Resource } from '../../apis/resource.ts';

/**
 * A resource of another process whose API this program has no definition of: it can at least be stopped.
 * @param service full name of the API's service, in our spelling
 */
export function foreignClient(service: string, isStoppable: boolean, endpoint: RemoteEndpoint): Resource {
  if (isStoppable) return new ActuatorClient(service, endpoint);
  // DoCommand and GetStatus are in every API under the same names.
  const definition = { ...GenericServiceDefinition, fullName: service } as unknown as typeof GenericServiceDefinition;
  return new RemoteResource(definition, endpoint);
}

/**
 * One that moves. In every such API, public or modelled on them, Stop and IsMoving have the same messages as for a
 * motor.
 */
class ActuatorClient extends RemoteResource<typeof MotorServiceDefinition> implements Actuator {
  constructor(service: string, endpoint: RemoteEndpoint) {
    super({ ...MotorServiceDefinition, fullName: service } as unknown as typeof MotorServiceDefinition, endpoint);
  }

  async stop(options?: CallOptions): Promise<void> {
    await this.call('stop', addressed(this.name, options), options);
  }

  async isMoving(): Promise<boolean> {
    return (await this.call('isMoving', { name: this.name })).isMoving;
  }
}
