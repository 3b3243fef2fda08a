import {
  GetDigitalInterruptValueRequest,
  GetDigitalInterruptValueResponse,
  GetGPIORequest,
  GetGPIOResponse,
  PWMFrequencyRequest,
  PWMFrequencyResponse,
  PWMRequest,
  PWMResponse,
  ReadAnalogReaderRequest,
  ReadAnalogReaderResponse,
} from '../../../proto/gen/core/component/board/v1/board.ts';
import { GetReadingsRequest, GetReadingsResponse } from '../../../proto/gen/core/common/v1/common.ts';
import {
  GetPositionRequest as GetEncoderPositionRequest,
  GetPositionResponse as GetEncoderPositionResponse,
  PositionType,
} from '../../../proto/gen/core/component/encoder/v1/encoder.ts';
import {
  GetPositionRequest,
  GetPositionResponse,
  IsMovingRequest,
  IsMovingResponse,
  IsPoweredRequest,
  IsPoweredResponse,
} from '../../../proto/gen/core/component/motor/v1/motor.ts';
import {
  GetPositionRequest as GetServoPositionRequest,
  GetPositionResponse as GetServoPositionResponse,
  IsMovingRequest as IsServoMovingRequest,
  IsMovingResponse as IsServoMovingResponse,
} from '../../../proto/gen/core/component/servo/v1/servo.ts';
import type { WatchMethod, WatchValue } from './machine-view.ts';

/** How one method is asked and its answer read. */
export interface WatchCodec {
  /** As the watch service names it: a method of the resource's own API. */
  readonly method: string;
  encode(name: string, part: string): Uint8Array;
  decode(bytes: Uint8Array): WatchValue;
}

const extra = undefined;

const encoderUnits: Readonly<Record<number, 'ticks' | 'degrees'>> = {
  [PositionType.TICKS_COUNT]: 'ticks',
  [PositionType.ANGLE_DEGREES]: 'degrees',
};

/** What can be polled. The machine fills the resource name in; it is sent too, so that the bytes stand alone. */
export const watchCodecs: Readonly<Record<WatchMethod, WatchCodec>> = {
  'motor.GetPosition': {
    method: 'GetPosition',
    encode: (name) => GetPositionRequest.encode({ name, extra }).finish(),
    decode: (bytes) => ({ position: GetPositionResponse.decode(bytes).position }),
  },
  'motor.IsPowered': {
    method: 'IsPowered',
    encode: (name) => IsPoweredRequest.encode({ name, extra }).finish(),
    decode: (bytes) => ({ power: IsPoweredResponse.decode(bytes).powerPct }),
  },
  'motor.IsMoving': {
    method: 'IsMoving',
    encode: (name) => IsMovingRequest.encode({ name }).finish(),
    decode: (bytes) => ({ isMoving: IsMovingResponse.decode(bytes).isMoving }),
  },
  'board.GetGPIO': {
    method: 'GetGPIO',
    encode: (name, pin) => GetGPIORequest.encode({ name, pin, extra }).finish(),
    decode: (bytes) => ({ isHigh: GetGPIOResponse.decode(bytes).high }),
  },
  'board.PWM': {
    method: 'PWM',
    encode: (name, pin) => PWMRequest.encode({ name, pin, extra }).finish(),
    decode: (bytes) => ({ duty: PWMResponse.decode(bytes).dutyCyclePct }),
  },
  'board.PWMFrequency': {
    method: 'PWMFrequency',
    encode: (name, pin) => PWMFrequencyRequest.encode({ name, pin, extra }).finish(),
    decode: (bytes) => ({ frequencyHz: Number(PWMFrequencyResponse.decode(bytes).frequencyHz) }),
  },
  'board.ReadAnalogReader': {
    method: 'ReadAnalogReader',
    encode: (boardName, analogReaderName) =>
      ReadAnalogReaderRequest.encode({ boardName, analogReaderName, extra }).finish(),
    decode: (bytes) => {
      const { value, minRange, maxRange, stepSize } = ReadAnalogReaderResponse.decode(bytes);
      return { value, minimum: minRange, maximum: maxRange, stepSize };
    },
  },
  'board.GetDigitalInterruptValue': {
    method: 'GetDigitalInterruptValue',
    encode: (boardName, digitalInterruptName) =>
      GetDigitalInterruptValueRequest.encode({ boardName, digitalInterruptName, extra }).finish(),
    decode: (bytes) => ({ value: Number(GetDigitalInterruptValueResponse.decode(bytes).value) }),
  },
  'encoder.GetPosition': encoderPosition(undefined),
  'encoder.GetDegrees': encoderPosition(PositionType.ANGLE_DEGREES),
  'sensor.GetReadings': {
    method: 'GetReadings',
    encode: (name) => GetReadingsRequest.encode({ name, extra }).finish(),
    decode: (bytes) => ({ readings: GetReadingsResponse.decode(bytes).readings }),
  },
  'servo.GetPosition': {
    method: 'GetPosition',
    encode: (name) => GetServoPositionRequest.encode({ name, extra }).finish(),
    decode: (bytes) => ({ position: GetServoPositionResponse.decode(bytes).positionDeg }),
  },
  'servo.IsMoving': {
    method: 'IsMoving',
    encode: (name) => IsServoMovingRequest.encode({ name }).finish(),
    decode: (bytes) => ({ isMoving: IsServoMovingResponse.decode(bytes).isMoving }),
  },
};

/** @param positionType undefined: the encoder's own */
function encoderPosition(positionType: PositionType | undefined): WatchCodec {
  return {
    method: 'GetPosition',
    encode: (name) => GetEncoderPositionRequest.encode({ name, positionType, extra }).finish(),
    decode: (bytes) => {
      const { value, positionType: type } = GetEncoderPositionResponse.decode(bytes);
      const unit = encoderUnits[type];
      return { position: value, ...(unit === undefined ? {} : { unit }) };
    },
  };
}
