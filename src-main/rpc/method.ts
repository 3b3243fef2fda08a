import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { MethodTraits } from '../../proto/method-traits.ts';
import type { ValueShape } from '../../proto/value-shapes.ts';

/** A method the router knows, under its canonical (`core.*`) path. */
export interface Method {
  /** Canonical path, `/core.component.motor.v1.MotorService/SetPower`. */
  readonly path: string;
  readonly service: string;
  readonly name: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly traits: MethodTraits;
  /** Whether field 1 of the first request names a resource. */
  readonly hasResource: boolean;
  /** Undefined for methods that are only forwarded, or not implemented. */
  readonly requestType: MessageType<unknown> | undefined;
  /** Where its answers have Values; undefined where they have none, and for methods of which nothing is known. */
  readonly answerShape: ValueShape | undefined;
}

/** A generated message type: what is needed to move it over a wire. */
export interface MessageType<T> {
  /** Writes to `writer`, or to a new one, and returns it. */
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
  decode(bytes: Uint8Array): T;
  toJSON?(message: T): unknown;
}
