import { jsonObject } from './arguments.ts';
import { addressed, RemoteResource, type RemotePlace } from './remote-resource.ts';
import type { CallOptions, JsonObject } from './resource.ts';
import type { Sensor } from './sensor.ts';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';

/** A sensor of another process. */
export class SensorClient extends RemoteResource<typeof SensorServiceDefinition> implements Sensor {
  constructor(place: RemotePlace) {
    super(SensorServiceDefinition, place);
  }

  async readings(options?: CallOptions): Promise<JsonObject> {
    return jsonObject((await this.call('getReadings', addressed(this.name, options), options)).readings);
  }
}
