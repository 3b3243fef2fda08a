const HEAD_END = '\r\n\r\n';
const MAX_HEAD_BYTES = 1_024;
const lengthLine = /^content-length: *(\d+)\r?$/im;

/**
 * Splits the output of ffmpeg's format `mpjpeg` into pictures (FFmpeg: libavformat/mpjpeg.c): each is preceded by a few
 * lines with its length. An incomplete last picture is dropped.
 * @param mostBytes maximum size of a picture. Throws for a larger one, and for any other format.
 */
export async function* multipartPictures(stream: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Buffer> {
  const received = new Received();
  let length: number | undefined;
  for await (const chunk of stream) {
    received.push(chunk);
    for (;;) {
      if (length === undefined) {
        const head = received.takeHead();
        if (head === undefined) break;
        length = lengthIn(head, mostBytes);
      }
      const picture = received.take(length);
      if (picture === undefined) break;
      length = undefined;
      yield picture;
    }
  }
}

/** Received data that has not been taken yet. */
class Received {
  #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The lines before a picture; undefined while they are incomplete. */
  takeHead(): string | undefined {
    const end = this.#joined().indexOf(HEAD_END);
    if (end !== -1) return this.take(end + HEAD_END.length)?.toString('latin1');
    if (this.#bytes > MAX_HEAD_BYTES) throw new Error('what comes is not in the format mpjpeg');
    return undefined;
  }

  /** This many bytes; undefined while there are fewer. They are joined once, whatever the number of chunks. */
  take(count: number): Buffer | undefined {
    if (this.#bytes < count) return undefined;
    const joined = this.#joined();
    this.#chunks = [joined.subarray(count)];
    this.#bytes -= count;
    return joined.subarray(0, count);
  }

  #joined(): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.#chunks;
    const joined = more.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}

function lengthIn(head: string, mostBytes: number): number {
  const [, digits] = lengthLine.exec(head) ?? [];
  if (digits === undefined) throw new Error('what comes is not in the format mpjpeg');
  const length = Number(digits);
  if (length > mostBytes) throw new Error(`a picture has ${length} bytes; at most ${mostBytes} can be sent`);
  return length;
}
