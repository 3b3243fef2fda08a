import { MetadataResponse } from './gen/core/service/mlmodel/v1/mlmodel.ts';
import { CaptureAllFromCameraResponse } from './gen/core/service/vision/v1/vision.ts';
import { DoCommandResponse, GetReadingsResponse, GetStatusResponse } from './gen/core/common/v1/common.ts';

/** Where in a message a `google.protobuf.Value` may be, so that it is found without decoding the rest. */
export interface ValueShape {
  /** `value` is a Value itself; `entry` is an entry of a map of Values. */
  readonly kind: 'message' | 'value' | 'entry';
  /** Fields that lead to a Value, by number. */
  readonly fields: ReadonlyMap<number, ValueShape>;
}

const valueFields = new Map<number, ValueShape>();
/** google.protobuf.Value */
export const valueShape: ValueShape = { kind: 'value', fields: valueFields };
/** An entry of `map<K, google.protobuf.Value>`. */
export const valueEntryShape: ValueShape = { kind: 'entry', fields: new Map([[2, valueShape]]) };
/** google.protobuf.Struct */
export const structShape: ValueShape = { kind: 'message', fields: new Map([[1, valueEntryShape]]) };
/** google.protobuf.ListValue */
export const listShape: ValueShape = { kind: 'message', fields: new Map([[1, valueShape]]) };
valueFields.set(5, structShape).set(6, listShape);

const message = (fields: readonly (readonly [number, ValueShape])[]): ValueShape => ({
  kind: 'message',
  fields: new Map(fields),
});
const tensorInfo = message([[99, structShape]]);
const inResult = message([[1, structShape]]);

/** Of the answers of the APIs that the program has itself, by their generated types. */
export const answerShapes: ReadonlyMap<unknown, ValueShape> = new Map<unknown, ValueShape>([
  [DoCommandResponse, inResult],
  [GetStatusResponse, inResult],
  [GetReadingsResponse, message([[1, valueEntryShape]])],
  [
    MetadataResponse,
    message([
      [
        1,
        message([
          [4, tensorInfo],
          [5, tensorInfo],
        ]),
      ],
    ]),
  ],
  [CaptureAllFromCameraResponse, message([[99, structShape]])],
]);
