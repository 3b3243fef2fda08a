import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import type { MessageType } from '../method.ts';

/** The one message of the test service: name=1, count=2, payload=3. */
export interface Echo {
  readonly name: string;
  readonly count: number;
  readonly payload: Uint8Array;
}

export const echoType: MessageType<Echo> = {
  encode(message, writer = new BinaryWriter()) {
    if (message.name !== '') writer.uint32(10).string(message.name);
    if (message.count !== 0) writer.uint32(16).uint32(message.count);
    if (message.payload.length > 0) writer.uint32(26).bytes(message.payload);
    return writer;
  },
  decode(bytes) {
    const reader = new BinaryReader(bytes);
    const message = { name: '', count: 0, payload: new Uint8Array() as Uint8Array };
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === 1) message.name = reader.string();
      else if (field === 2) message.count = reader.uint32();
      else if (field === 3) message.payload = Uint8Array.from(reader.bytes());
      else reader.skip(type);
    }
    return message;
  },
  toJSON: (message) => ({ name: message.name, count: message.count }),
};

export function echo(name: string, count = 0, payload: Uint8Array = new Uint8Array()): Echo {
  return { name, count, payload };
}

export function encodeEcho(message: Echo): Uint8Array {
  return echoType.encode(message).finish();
}

const shape = { requestType: echoType, responseType: echoType, options: {} } as const;

/** A service with one method of each kind, as generated code would define it. */
export const echoService = {
  name: 'EchoService',
  fullName: 'core.test.v1.EchoService',
  methods: {
    say: { ...shape, name: 'Say', requestStream: false, responseStream: false },
    repeat: { ...shape, name: 'Repeat', requestStream: false, responseStream: true },
    collect: { ...shape, name: 'Collect', requestStream: true, responseStream: false },
    chat: { ...shape, name: 'Chat', requestStream: true, responseStream: true },
  },
} as const;

export const echoPath = (method: string): string => `/core.test.v1.EchoService/${method}`;
