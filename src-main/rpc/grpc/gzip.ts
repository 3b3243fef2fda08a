import { createGunzip, gunzipSync, type Gunzip } from 'node:zlib';
import { ArmatureError } from '../../base/errors.ts';
import { ByteBudget } from '../byte-budget.ts';

export interface InflationLimits {
  /** Messages inflated at a time; the rest wait. libuv has four threads for this and all file operations. */
  readonly parallel: number;
  /** Most bytes of compressed messages that wait, and of inflated ones until they are read. */
  readonly bytes: number;
}

/** The same for one connection; as much as its incomplete messages may hold. */
export const CONNECTION_INFLATED_BYTES = 64 * 1024 * 1024;
const PROCESS_LIMITS: InflationLimits = { parallel: 2, bytes: 128 * 1024 * 1024 };

/** Messages up to this size are inflated synchronously: that is faster than a thread, and cannot pile up. */
const SMALL_BYTES = 64 * 1024;
const LARGEST_CHUNK_BYTES = 128 * 1024;

/** A message that is being inflated, or that was and still counts. */
export interface InflatedMessage {
  /** Rejects with `call.too_large`, `call.bad_argument` for bytes that are not gzip, `call.overloaded` or `call.cancelled`. */
  readonly bytes: Promise<Buffer>;
  /** It is no longer wanted: a waiting one never starts, a running one ends, and its bytes are free. */
  release(): void;
}

/**
 * Inflates compressed messages: a few at a time, and only while there is room for their bytes. A few kilobytes of gzip
 * become 32 MiB, so they are not all inflated at once, and those of a disconnected caller not at all.
 */
export class Inflation {
  readonly #limits: InflationLimits;
  readonly #budget: ByteBudget;
  readonly #waiting = new Set<Inflating>();
  #running = 0;

  constructor(limits: InflationLimits = PROCESS_LIMITS) {
    this.#limits = limits;
    this.#budget = new ByteBudget(limits.bytes);
  }

  /** Bytes held for all messages. */
  get heldBytes(): number {
    return this.#budget.held;
  }

  /** Number of messages being inflated. */
  get running(): number {
    return this.#running;
  }

  /** Number of waiting messages. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The budget of one connection. */
  share(bytes = CONNECTION_INFLATED_BYTES): ByteBudget {
    return new ByteBudget(bytes, this.#budget);
  }

  /**
   * Inflates one message.
   * @param maxBytes maximum size of the inflated message
   * @param share budget of the message's connection
   */
  start(compressed: Uint8Array, maxBytes: number, share: ByteBudget): InflatedMessage {
    if (maxBytes <= SMALL_BYTES) return inflateSmall(compressed, maxBytes);
    const message = new Inflating(compressed, maxBytes, share, (ended) => this.#ended(ended));
    if (message.isOver) return message;
    this.#waiting.add(message);
    this.#next();
    return message;
  }

  #next(): void {
    for (const message of this.#waiting) {
      if (this.#running >= this.#limits.parallel) return;
      this.#waiting.delete(message);
      this.#running++;
      message.run();
    }
  }

  #ended(message: Inflating): void {
    if (this.#waiting.delete(message)) return;
    this.#running--;
    this.#next();
  }
}

/** Shared by all servers of this program. */
export const processInflation = new Inflation();

class Inflating implements InflatedMessage {
  readonly bytes: Promise<Buffer>;
  readonly #maxBytes: number;
  readonly #share: ByteBudget;
  readonly #onEnd: (message: Inflating) => void;
  #compressed: Uint8Array | undefined;
  #resolve: (bytes: Buffer) => void = () => undefined;
  #reject: (error: ArmatureError) => void = () => undefined;
  #gunzip: Gunzip | undefined;
  #chunks: Buffer[] = [];
  #inflatedBytes = 0;
  #heldBytes = 0;
  #isOver = false;

  constructor(compressed: Uint8Array, maxBytes: number, share: ByteBudget, onEnd: (message: Inflating) => void) {
    this.#compressed = compressed;
    this.#maxBytes = maxBytes;
    this.#share = share;
    this.#onEnd = onEnd;
    this.bytes = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The code that releases it ignores the result.
    this.bytes.catch(() => undefined);
    if (!this.#take(compressed.length)) {
      this.#isOver = true;
      this.#reject(noRoom(share));
    }
  }

  /** Its result will not be used. */
  get isOver(): boolean {
    return this.#isOver;
  }

  run(): void {
    const compressed = this.#compressed ?? new Uint8Array();
    const chunkSize = Math.min(LARGEST_CHUNK_BYTES, Math.max(1_024, 4 * compressed.length));
    const gunzip = createGunzip({ chunkSize });
    this.#gunzip = gunzip;
    gunzip.on('data', (chunk: Buffer) => this.#inflated(chunk));
    gunzip.once('end', () => this.#finished());
    gunzip.once('error', (error) => {
      this.#fail(
        new ArmatureError('call.bad_argument', `The compressed message cannot be inflated: ${error.message}.`, {
          cause: error,
        }),
      );
    });
    // Its thread is available for another only now.
    gunzip.once('close', () => this.#onEnd(this));
    gunzip.end(compressed);
  }

  release(): void {
    if (!this.#isOver)
      this.#fail(new ArmatureError('call.cancelled', 'The call ended before its message was inflated.'));
    this.#give();
  }

  #inflated(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#inflatedBytes += chunk.length;
    if (this.#inflatedBytes > this.#maxBytes) this.#fail(tooLarge(this.#maxBytes));
    else if (this.#take(chunk.length)) this.#chunks.push(chunk);
    else this.#fail(noRoom(this.#share));
  }

  #finished(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#share.give(this.#compressed?.length ?? 0);
    this.#heldBytes -= this.#compressed?.length ?? 0;
    this.#compressed = undefined;
    const [first] = this.#chunks;
    this.#resolve(this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks));
    this.#chunks = [];
  }

  #fail(error: ArmatureError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#chunks = [];
    this.#compressed = undefined;
    this.#reject(error);
    this.#give();
    if (this.#gunzip === undefined) this.#onEnd(this);
    else this.#gunzip.destroy();
  }

  #take(bytes: number): boolean {
    if (!this.#share.take(bytes)) return false;
    this.#heldBytes += bytes;
    return true;
  }

  #give(): void {
    this.#share.give(this.#heldBytes);
    this.#heldBytes = 0;
  }
}

function inflateSmall(compressed: Uint8Array, maxBytes: number): InflatedMessage {
  return { bytes: gunzipAtOnce(compressed, maxBytes), release: () => undefined };
}

async function gunzipAtOnce(compressed: Uint8Array, maxBytes: number): Promise<Buffer> {
  try {
    return gunzipSync(compressed, { maxOutputLength: maxBytes, chunkSize: 1_024 });
  } catch (thrown) {
    const error = thrown as NodeJS.ErrnoException;
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes, error);
    throw new ArmatureError('call.bad_argument', `The compressed message cannot be inflated: ${error.message}.`, {
      cause: error,
    });
  }
}

function tooLarge(maxBytes: number, cause?: unknown): ArmatureError {
  const message = `The message has more than ${maxBytes} bytes once inflated.`;
  return new ArmatureError('call.too_large', message, { cause, details: { maxBytes } });
}

function noRoom(share: ByteBudget): ArmatureError {
  const message = `There is no room to inflate this message: compressed messages of this connection hold ${share.held} bytes, of at most ${share.limit}, and all together may hold no more than the program has for them. Send fewer at once, or uncompressed.`;
  return new ArmatureError('call.overloaded', message);
}
