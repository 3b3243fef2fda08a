import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import type { MessageType } from '../../../src-main/rpc/service.ts';

export interface IsMovingRequest {
  readonly name: string;
}

export interface IsMovingResponse {
  readonly isMoving: boolean;
}

/** `IsMovingRequest` of the motor service: name=1. */
const isMovingRequest: MessageType<IsMovingRequest> = {
  encode: (message) => new BinaryWriter().uint32(10).string(message.name),
  decode(bytes) {
    const reader = new BinaryReader(bytes);
    let name = '';
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === 1) name = reader.string();
      else reader.skip(type);
    }
    return { name };
  },
};

/** `IsMovingResponse` of the motor service: is_moving=1. */
const isMovingResponse: MessageType<IsMovingResponse> = {
  encode: (message) => (message.isMoving ? new BinaryWriter().uint32(8).bool(true) : new BinaryWriter()),
  decode(bytes) {
    const reader = new BinaryReader(bytes);
    let isMoving = false;
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === 1) isMoving = reader.bool();
      else reader.skip(type);
    }
    return { isMoving };
  },
};

/** The one method that is measured, with messages written by hand: the bench needs no generated code. */
export const motorService = {
  name: 'MotorService',
  fullName: 'core.component.motor.v1.MotorService',
  methods: {
    isMoving: {
      name: 'IsMoving',
      requestType: isMovingRequest,
      requestStream: false,
      responseType: isMovingResponse,
      responseStream: false,
      options: {},
    },
  },
} as const;

/** Path of the measured method, as clients of the public ecosystem spell it. */
export const isMovingPath = '/viam.component.motor.v1.MotorService/IsMoving';

/** An encoded request for the motor `left`, with an unknown field that pads it to 20 bytes. */
export const isMovingMessage: Uint8Array = new BinaryWriter()
  .uint32(10)
  .string('left')
  .uint32((98 << 3) | 2)
  .string('padding-too')
  .finish();
