import { expect, test } from 'vitest';
import { GetReadingsResponse } from './gen/core/common/v1/common.ts';
import { GetImagesResponse } from './gen/core/component/camera/v1/camera.ts';
import { GetPositionRequest, PositionType } from './gen/core/component/encoder/v1/encoder.ts';
import { GoToRequest } from './gen/core/component/motor/v1/motor.ts';
import { Struct } from './gen/google/protobuf/struct.ts';
import { Request } from './gen/proto/rpc/webrtc/v1/grpc.ts';
import { encodeMessage, type MessageType } from './message.ts';

const roundTrip = <T>(type: MessageType<T>, message: T): T => type.decode(encodeMessage(type, message));

test('bytes on the wire are those of the contract', () => {
  const bytes = encodeMessage(GoToRequest, { name: 'm', rpm: 1, positionRevolutions: -2, extra: { a: true } });
  expect(Buffer.from(bytes).toString('hex')).toBe(
    '0a016d' + '11000000000000f03f' + '1900000000000000c0' + '9a0609' + '0a070a0161' + '12022001',
  );
});

test('readings come back as plain values, null and nested ones too', () => {
  const readings = { temperature: 21.5, ok: false, none: null, list: [1, 'two'], at: { _type: 'vector3', x: 1 } };
  expect(roundTrip(GetReadingsResponse, { readings })).toEqual({ readings });
});

test('a key called __proto__ is a key like others, at every depth', () => {
  const readings = JSON.parse('{"__proto__": {"a": 1}, "at": [{"__proto__": 0}]}') as Record<string, unknown>;
  const received = roundTrip(GetReadingsResponse, { readings });
  expect(JSON.stringify(received)).toBe(JSON.stringify({ readings }));
  expect(JSON.stringify(GetReadingsResponse.toJSON(received))).toBe(JSON.stringify({ readings }));
  expect(JSON.stringify(Struct.unwrap(Struct.wrap(readings)))).toBe(JSON.stringify(readings));
});

test('a stream with id 0 is present though its bytes are empty', () => {
  const frame = roundTrip(Request, { stream: { id: 0n }, type: { $case: 'rstStream', value: true } });
  expect(frame.stream).toEqual({ id: 0n });
});

test('an enum value that is not known here is kept, and can be printed', () => {
  const request = GetPositionRequest.decode(Uint8Array.of(0x10, 9));
  expect(request.positionType).toBe(9);
  expect(GetPositionRequest.toJSON(request)).toEqual({ position_type: 9 });
  expect(GetPositionRequest.toJSON({ name: 'e', positionType: PositionType.TICKS_COUNT })).toEqual({
    name: 'e',
    position_type: 1,
  });
});

test('a writer is fit for the next message after a large one and after a throw', () => {
  const image = new Uint8Array(300_000).fill(7);
  const images = { images: [{ sourceName: '', image, mimeType: 'image/jpeg' }] };
  const returned = roundTrip(GetImagesResponse, images).images[0]?.image ?? new Uint8Array();
  expect(Buffer.compare(returned, image)).toBe(0);
  expect(() => encodeMessage(GoToRequest, { name: 'm', rpm: Symbol() as never, positionRevolutions: 0 })).toThrow();
  expect(roundTrip(GoToRequest, { name: 'm', rpm: 2, positionRevolutions: 0 })).toMatchObject({ name: 'm', rpm: 2 });
});
