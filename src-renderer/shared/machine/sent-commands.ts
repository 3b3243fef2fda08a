/** A call of this page that changes something: it moves, sets or stops. */
export interface SentCommand {
  /** Short name of the resource; '' for the whole machine. */
  readonly resource: string;
  /** `SetPower`. */
  readonly method: string;
  /** The request without the name of the resource; undefined if this page has only its bytes. */
  readonly request: object | undefined;
  /** Settles as the call does. */
  readonly answer: Promise<unknown>;
}

type Listener = (command: SentCommand) => void;

/** Tells listeners of the commands that this page sends, in the order in which it sends them. */
export class SentCommands {
  readonly #listeners = new Set<Listener>();

  /** Returns an unsubscribe function. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notes a call that has been sent. */
  note(command: Omit<SentCommand, 'answer'>, answer: Promise<unknown>): void {
    for (const listener of this.#listeners) listener({ ...command, answer });
  }

  /** Notes a call whose answers are passed on. */
  async *noteStream(
    command: Omit<SentCommand, 'answer'>,
    answers: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    let settle: (failure: Promise<void> | undefined) => void = () => undefined;
    const call = new Promise<void>((resolve) => (settle = resolve));
    // Without listeners nobody waits for it.
    call.catch(() => undefined);
    this.note(command, call);
    try {
      yield* answers;
    } catch (thrown) {
      settle(Promise.reject(thrown));
      throw thrown;
    } finally {
      settle(undefined);
    }
  }
}

/** The name of the resource in an encoded request: its first field, as in every request of a resource; '' if none. */
export function resourceIn(request: Uint8Array): string {
  const [tag, length = 0] = request;
  // A field of number 1 and of type text; names of 128 bytes and more have a longer length.
  return tag === 0x0a && length < 0x80 ? new TextDecoder().decode(request.subarray(2, 2 + length)) : '';
}
