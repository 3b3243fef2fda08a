import { encodeRequestPacket } from '../../proto/channel/request-frames.ts';
import type { LinkPipe } from './pipe.ts';

const PACKET_BYTES = 65_000;
const HIGH_WATER_BYTES = 1_048_576;

interface Upload {
  readonly id: bigint;
  readonly bytes: Uint8Array;
  offset: number;
  readonly done: () => void;
}

/** Sends requests in packets, one packet of each in turn, as fast as the pipe takes them. */
export class PacketSender {
  readonly #pipe: LinkPipe;
  readonly #uploads = new Set<Upload>();

  constructor(pipe: LinkPipe) {
    this.#pipe = pipe;
    pipe.onDrain = () => this.#pump();
  }

  /** Resolves when the last packet was sent or the call was dropped. One message per call at a time. */
  send(id: bigint, bytes: Uint8Array): Promise<void> {
    return new Promise((done) => {
      this.#uploads.add({ id, bytes, offset: 0, done });
      this.#pump();
    });
  }

  drop(id: bigint): void {
    for (const upload of this.#uploads) {
      if (upload.id !== id) continue;
      this.#uploads.delete(upload);
      upload.done();
    }
  }

  #pump(): void {
    for (const upload of this.#uploads) {
      if (this.#pipe.bufferedBytes() >= HIGH_WATER_BYTES) return;
      // Added again if more is left: then it comes after all others.
      this.#uploads.delete(upload);
      const end = Math.min(upload.bytes.length, upload.offset + PACKET_BYTES);
      const isLast = end === upload.bytes.length;
      this.#pipe.send(encodeRequestPacket(upload.id, upload.bytes.subarray(upload.offset, end), isLast));
      upload.offset = end;
      if (isLast) upload.done();
      else this.#uploads.add(upload);
    }
  }
}
