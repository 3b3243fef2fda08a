import { type BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

/** Largest message either way, over each carrier. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** What the generated code has for each message: `SetPowerRequest` is a MessageType<SetPowerRequest>. */
export interface MessageType<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
  /** Byte fields of the result are views of `input`: copy one that is kept longer than the frame. */
  decode(input: BinaryReader | Uint8Array, length?: number): T;
  /** JSON with the names of the .proto file and enums as numbers. */
  toJSON(message: T): unknown;
}

/** A buffer that has grown beyond this, for a picture say, is not kept. */
const KEPT_BYTES = 64 * 1024;

let spare: BinaryWriter | undefined;

/**
 * The bytes of a message. Use it instead of `type.encode(message).finish()`:
 * a new writer with its buffer costs more than a small message itself does
 * (figures in README.md), so one is kept from call to call.
 */
export function encodeMessage<T>(type: Pick<MessageType<T>, 'encode'>, message: T): Uint8Array {
  const writer = spare ?? new BinaryWriter();
  // Not kept while in use, nor after a throw, which leaves half a message in it.
  spare = undefined;
  const bytes = type.encode(message, writer).finish();
  if (bytes.length <= KEPT_BYTES) spare = writer;
  return bytes;
}
