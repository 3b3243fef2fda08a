import { AsyncQueue } from '../../base/async/async-queue.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { MessageType } from '../method.ts';

/** The caller is asked to wait when this much lies unread. */
const MAX_QUEUED_BYTES = 256 * 1024;
const MAX_QUEUED_MESSAGES = 64;

/**
 * The requests of a call that streams them, decoded as they are read. A
 * handler that reads slowly makes the caller wait instead of filling memory.
 */
export class RequestStream<T> implements AsyncIterable<T> {
  readonly #queue: AsyncQueue<Uint8Array>;
  readonly #type: MessageType<T>;
  readonly #methodPath: string;
  #queuedBytes = 0;
  #resume: (() => void) | undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(type: MessageType<T>, methodPath: string) {
    this.#type = type;
    this.#methodPath = methodPath;
    this.#queue = new AsyncQueue();
  }

  /** Takes one message. A promise means: send no more until it settles. */
  push(bytes: Uint8Array): Promise<void> | undefined {
    this.#queuedBytes += bytes.length;
    if (!this.#queue.push(bytes)) return undefined;
    if (this.#queuedBytes < MAX_QUEUED_BYTES && this.#queue.size < MAX_QUEUED_MESSAGES) return undefined;
    return new Promise((resolve) => {
      const before = this.#resume;
      this.#resume = () => {
        before?.();
        resolve();
      };
    });
  }

  end(): void {
    this.#queue.end();
  }

  /** Ends the stream with an error. What was not read yet is dropped: its caller has left. */
  fail(reason: unknown): void {
    this.#failure = { reason };
    this.#queue.fail(reason);
    this.#release();
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    const inner = this.#queue[Symbol.asyncIterator]();
    return {
      next: async () => {
        const result = await inner.next();
        if (this.#failure !== undefined) throw this.#failure.reason;
        if (result.done === true) return { value: undefined, done: true };
        this.#queuedBytes -= result.value.length;
        if (this.#queuedBytes < MAX_QUEUED_BYTES && this.#queue.size < MAX_QUEUED_MESSAGES) this.#release();
        return { value: decodeRequest(this.#type, result.value, this.#methodPath), done: false };
      },
      return: async () => {
        await inner.return?.();
        this.#release();
        return { value: undefined, done: true };
      },
    };
  }

  #release(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }
}

/**
 * Decodes a request.
 * @throws ArmatureError `call.bad_argument` naming the method
 */
export function decodeRequest<T>(type: MessageType<T>, bytes: Uint8Array, methodPath: string): T {
  try {
    return type.decode(bytes);
  } catch (cause) {
    throw new ArmatureError(
      'call.bad_argument',
      `The request of ${methodPath} is not a readable message: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause, details: { method: methodPath } },
    );
  }
}
