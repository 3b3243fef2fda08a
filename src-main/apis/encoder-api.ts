import { defineApi } from './api.ts';
import { badArgument, extraOf } from './arguments.ts';
import { componentHandlers } from './common-handlers.ts';
import { EncoderClient } from './encoder-client.ts';
import type { Encoder, PositionType } from './encoder.ts';
import {
  EncoderServiceDefinition,
  PositionType as WirePositionType,
} from '../../proto/gen/core/component/encoder/v1/encoder.ts';

function positionTypeOf(encoder: Encoder, type: WirePositionType | undefined): PositionType | undefined {
  switch (type) {
    case undefined:
    case WirePositionType.UNSPECIFIED:
      return undefined;
    case WirePositionType.TICKS_COUNT:
      return 'ticks';
    case WirePositionType.ANGLE_DEGREES:
      return 'degrees';
    default:
      throw badArgument(encoder, 'position_type', type, 'TICKS_COUNT (1) or ANGLE_DEGREES (2)');
  }
}

/** How encoders are served (wire contract 4.2, EncoderService). */
export const encoderApi = defineApi<Encoder, typeof EncoderServiceDefinition>({
  api: 'core:component:encoder',
  service: EncoderServiceDefinition,
  isActuator: false,
  client: (place) => new EncoderClient(place),
  handlers: {
    ...componentHandlers,
    async getPosition(encoder, request) {
      const asked = positionTypeOf(encoder, request.positionType);
      const { value, type } = await encoder.position(asked, { extra: extraOf(request) });
      return {
        value,
        positionType: type === 'ticks' ? WirePositionType.TICKS_COUNT : WirePositionType.ANGLE_DEGREES,
      };
    },
    async resetPosition(encoder, request) {
      await encoder.resetPosition({ extra: extraOf(request) });
      return {};
    },
    async getProperties(encoder, request) {
      const { isTicksSupported, isDegreesSupported } = await encoder.properties({ extra: extraOf(request) });
      return { ticksCountSupported: isTicksSupported, angleDegreesSupported: isDegreesSupported };
    },
  },
});
