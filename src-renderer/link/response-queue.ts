import { Assembly } from '../../proto/channel/assembly.ts';
import { MAX_MESSAGE_BYTES } from '../../proto/message.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { RpcError } from './rpc-error.ts';

/** A call with more unread responses than this is cancelled. */
const MAX_UNREAD_BYTES = 2 * MAX_MESSAGE_BYTES;

/** The responses of one call: packets go in, whole messages come out. */
export class ResponseQueue {
  #messages: Uint8Array[] = [];
  #unreadBytes = 0;
  readonly #assembly = new Assembly();
  #ending: { readonly error: RpcError | undefined } | undefined;
  #wake: (() => void) | undefined;

  /**
   * Takes one packet.
   * @throws RpcError when the message, or all unread messages together, are too large
   */
  packet(data: Uint8Array, eom: boolean): void {
    this.#assembly.add(data);
    if (this.#assembly.bytes > MAX_MESSAGE_BYTES) {
      throw new RpcError(StatusCode.RESOURCE_EXHAUSTED, 'the answer is larger than 32 MiB');
    }
    if (!eom) return;
    const whole = this.#assembly.take();
    this.#unreadBytes += whole.length;
    if (this.#unreadBytes > MAX_UNREAD_BYTES) {
      throw new RpcError(StatusCode.RESOURCE_EXHAUSTED, 'answers came faster than the page reads them');
    }
    this.#messages.push(whole);
    this.#wakeReader();
  }

  /** Ends the call; messages that came before can still be read. */
  end(error: RpcError | undefined): void {
    if (this.#ending !== undefined) return;
    this.#ending = { error };
    this.#wakeReader();
  }

  /** The next message, or undefined at the end. @throws RpcError if the call failed */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) {
        this.#unreadBytes -= message.length;
        return message;
      }
      if (this.#ending?.error !== undefined) throw this.#ending.error;
      if (this.#ending !== undefined) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
