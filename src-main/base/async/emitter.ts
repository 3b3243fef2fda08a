interface Registration<Event> {
  readonly listener: (event: Event) => void;
}

/**
 * Listeners to one kind of event. {@link emit} calls all of them, in the order in which they were added. A listener
 * removed during a call of `emit` is no longer called; one added during it is called with the next event.
 */
export class Emitter<Event = void> {
  readonly #registrations = new Set<Registration<Event>>();
  readonly #onFailure: ((thrown: unknown) => void) | undefined;
  /** The registrations as a list, which is faster to go through than a set; undefined after a change. */
  #list: readonly Registration<Event>[] | undefined;

  /** @param onFailure a listener threw; without it, {@link emit} throws */
  constructor(onFailure?: (thrown: unknown) => void) {
    this.#onFailure = onFailure;
  }

  get size(): number {
    return this.#registrations.size;
  }

  /**
   * Calls `listener` with every event from now on; a listener added twice is called twice. Returns an unsubscribe
   * function.
   */
  on(listener: (event: Event) => void): () => void {
    const registration = { listener };
    this.#registrations.add(registration);
    this.#list = undefined;
    return () => {
      if (this.#registrations.delete(registration)) this.#list = undefined;
    };
  }

  /** Calls every listener, even after one has thrown. Without `onFailure` it then throws the first error. */
  emit(event: Event): void {
    const list = (this.#list ??= [...this.#registrations]);
    let failure: { readonly thrown: unknown } | undefined;
    for (const registration of list) {
      if (list !== this.#list && !this.#registrations.has(registration)) continue;
      try {
        registration.listener(event);
      } catch (thrown) {
        if (this.#onFailure === undefined) failure ??= { thrown };
        else this.#onFailure(thrown);
      }
    }
    if (failure !== undefined) throw failure.thrown;
  }

  /** Forgets all listeners. */
  clear(): void {
    this.#registrations.clear();
    this.#list = undefined;
  }
}

/** An {@link Emitter} for each key. Keys that nobody listens to take no memory. */
export class KeyedEmitter<Event = void, Key = string> {
  readonly #emitters = new Map<Key, Emitter<Event>>();

  /** Like {@link Emitter.on}, for the events of this key. */
  on(key: Key, listener: (event: Event) => void): () => void {
    const emitter = this.#emitters.get(key) ?? new Emitter<Event>();
    this.#emitters.set(key, emitter);
    const remove = emitter.on(listener);
    return () => {
      remove();
      if (emitter.size === 0 && this.#emitters.get(key) === emitter) this.#emitters.delete(key);
    };
  }

  /** Like {@link Emitter.emit}, for the listeners to this key. */
  emit(key: Key, event: Event): void {
    this.#emitters.get(key)?.emit(event);
  }

  /** Keys with listeners. */
  get size(): number {
    return this.#emitters.size;
  }
}
