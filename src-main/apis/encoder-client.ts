import type { Encoder, EncoderPosition, EncoderProperties, PositionType } from './encoder.ts';
import { addressed, RemoteResource, type RemotePlace } from './remote-resource.ts';
import type { CallOptions } from './resource.ts';
import {
  EncoderServiceDefinition,
  PositionType as WireType,
} from '../../proto/gen/core/component/encoder/v1/encoder.ts';

const wireTypes: Readonly<Record<PositionType, WireType>> = {
  ticks: WireType.TICKS_COUNT,
  degrees: WireType.ANGLE_DEGREES,
};

/** An encoder of another process. */
export class EncoderClient extends RemoteResource<typeof EncoderServiceDefinition> implements Encoder {
  constructor(place: RemotePlace) {
    super(EncoderServiceDefinition, place);
  }

  async position(type: PositionType | undefined, options?: CallOptions): Promise<EncoderPosition> {
    const request = {
      ...addressed(this.name, options),
      positionType: type === undefined ? undefined : wireTypes[type],
    };
    const { value, positionType } = await this.call('getPosition', request, options);
    return { value, type: positionType === WireType.ANGLE_DEGREES ? 'degrees' : 'ticks' };
  }

  async resetPosition(options?: CallOptions): Promise<void> {
    await this.call('resetPosition', addressed(this.name, options), options);
  }

  async properties(options?: CallOptions): Promise<EncoderProperties> {
    const answer = await this.call('getProperties', addressed(this.name, options), options);
    return { isTicksSupported: answer.ticksCountSupported, isDegreesSupported: answer.angleDegreesSupported };
  }
}
