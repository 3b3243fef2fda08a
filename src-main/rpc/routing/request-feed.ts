import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { MessageAssembler, type FramedMessage } from '../grpc/message-assembler.ts';
import type { RequestSink } from '../router.ts';

/** The source of a request's bytes; paused while a message is being processed. */
export interface FeedSource {
  pause(): unknown;
  resume(): unknown;
}

/**
 * The bytes of a message with flags, or undefined for one that does not belong to the call. Rejects for invalid flags.
 */
export type FlaggedMessageReader = (message: FramedMessage) => Promise<Uint8Array | undefined>;

/** Cuts the framed messages of one request out of its bytes and hands them to a call, one at a time. */
export class RequestFeed {
  readonly #assembler: MessageAssembler;
  readonly #sink: RequestSink;
  readonly #source: FeedSource;
  readonly #readFlagged: FlaggedMessageReader;
  /** A message is being processed: later data must wait. */
  #isBusy = false;
  #isComplete = false;
  #isStopped = false;

  constructor(maxMessageBytes: number, sink: RequestSink, source: FeedSource, readFlagged: FlaggedMessageReader) {
    this.#assembler = new MessageAssembler(maxMessageBytes);
    this.#sink = sink;
    this.#source = source;
    this.#readFlagged = readFlagged;
  }

  /** Whether the caller has sent everything. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Bytes that wait for the rest of their message, or for their turn. */
  get buffered(): number {
    return this.#assembler.buffered;
  }

  push(chunk: Buffer): void {
    if (this.#isStopped) return;
    this.#assembler.push(chunk);
    if (!this.#isBusy) this.#deliver();
  }

  /** The caller has sent its last byte. */
  complete(): void {
    this.#isComplete = true;
    if (!this.#isBusy) this.#deliver();
  }

  /** Stops reading: the call has ended, or its source has closed. */
  stop(): void {
    this.#isStopped = true;
  }

  #deliver(): void {
    try {
      for (let message = this.#assembler.next(); message !== undefined; message = this.#assembler.next()) {
        const taken = message.flags === 0 ? this.#sink.message(message.bytes) : this.#deliverFlagged(message);
        if (taken !== undefined) {
          this.#wait(taken);
          return;
        }
      }
    } catch (thrown) {
      this.#sink.cancel(toArmatureError(thrown));
      return;
    }
    if (!this.#isComplete || this.#isStopped) return;
    if (this.#assembler.buffered === 0) this.#sink.halfClose();
    else this.#sink.cancel(new ArmatureError('call.bad_argument', 'The stream ended in the middle of a message.'));
  }

  async #deliverFlagged(message: FramedMessage): Promise<void> {
    const bytes = await this.#readFlagged(message);
    if (bytes !== undefined) await this.#sink.message(bytes);
  }

  #wait(taken: Promise<void>): void {
    this.#isBusy = true;
    this.#source.pause();
    const resume = (): void => {
      this.#isBusy = false;
      this.#source.resume();
      if (!this.#isStopped) this.#deliver();
    };
    taken.then(resume, (thrown: unknown) => {
      this.#sink.cancel(toArmatureError(thrown));
      resume();
    });
  }
}
