const HEAD_END = '\r\n\r\n';
const MAX_HEAD_BYTES = 1_024;
const lengthLine = /^content-length: *(\d+)\r?$/im;

/**
 * Cuts the stream of ffmpeg's format `mpjpeg` into its pictures (FFmpeg: libavformat/mpjpeg.c): before each stand a few
 * lines that tell its length. What ends in the middle of a picture is left out.
 * @param mostBytes a picture may have no more. Throws for a larger one, and for what is not that format.
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

/** What has come and was not taken. */
class Received {
  #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The lines before a picture; undefined while they are not whole. */
  takeHead(): string | undefined {
    const end = this.#joined().indexOf(HEAD_END);
    if (end !== -1) return this.take(end + HEAD_END.length)?.toString('latin1');
    if (this.#bytes > MAX_HEAD_BYTES) throw new Error('what comes is not in the format mpjpeg');
    return undefined;
  }

  /** So many bytes; undefined while there are fewer. Joined once, however many pieces they came in. */
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
