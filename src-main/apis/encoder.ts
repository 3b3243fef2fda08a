import { defineApi, type ResourceApi } from './api.ts';
import { oneOf, type Field } from './fields.ts';
import { methodsOf } from './method.ts';
import type { CallOptions, Resource } from './resource.ts';
import {
  EncoderServiceDefinition,
  PositionType as WireType,
} from '../../proto/gen/core/component/encoder/v1/encoder.ts';

export type PositionType = 'ticks' | 'degrees';

export interface EncoderPosition {
  readonly value: number;
  readonly type: PositionType;
}

export interface EncoderProperties {
  readonly isTicksSupported: boolean;
  readonly isDegreesSupported: boolean;
}

export interface Encoder extends Resource {
  /** @param type undefined: the encoder's own. Throws `call.unimplemented` if the encoder does not support it. */
  position(type: PositionType | undefined, options?: CallOptions): Promise<EncoderPosition>;
  /** Sets the current position to zero. */
  resetPosition(options?: CallOptions): Promise<void>;
  properties(options?: CallOptions): Promise<EncoderProperties>;
}

const { call, read } = methodsOf(EncoderServiceDefinition);

const positionType = oneOf<PositionType>(
  { ticks: WireType.TICKS_COUNT, degrees: WireType.ANGLE_DEGREES },
  'TICKS_COUNT (1) or ANGLE_DEGREES (2)',
);
/** An encoder in another process may omit the type of its position: then it is ticks. */
const givenType: Field<PositionType, number> = {
  ...positionType,
  read: (wire) => (wire === WireType.ANGLE_DEGREES ? 'degrees' : 'ticks'),
};
const wantedType: Field<PositionType | undefined, number | undefined> = {
  write: (type, resource) => (type === undefined ? undefined : positionType.write(type, resource)),
  read: (wire, ...where) =>
    wire === undefined || wire === WireType.UNSPECIFIED ? undefined : positionType.read(wire, ...where),
};

/** @internal */
export const encoderApi: ResourceApi<Encoder, typeof EncoderServiceDefinition> = defineApi({
  api: 'core:component:encoder',
  service: EncoderServiceDefinition,
  methods: {
    position: read('getPosition', { value: 'value', type: ['positionType', givenType] }, { positionType: wantedType }),
    resetPosition: call('resetPosition'),
    properties: read('getProperties', {
      isTicksSupported: 'ticksCountSupported',
      isDegreesSupported: 'angleDegreesSupported',
    }),
  },
});
