import { Emitter } from '../../base/async/emitter.ts';
import { ConfigServiceDefinition, type WatchResponse } from '../../../proto/gen/core/config/v1/config.ts';
import type { ConnectedParts } from '../presence/connected-parts.ts';
import type { PartStream } from '../presence/part-stream.ts';

interface Watched {
  readonly changed: Emitter;
  stream: PartStream | undefined;
  latest: WatchResponse | undefined;
  end: () => void;
}

/**
 * The states that connected parts report for their configurations. Keeps one stream per part while it has listeners,
 * however many they are.
 */
export class PartWatches {
  readonly #connected: ConnectedParts;
  readonly #watched = new Map<string, Watched>();
  readonly #unsubscribe: () => void;

  constructor(connected: ConnectedParts) {
    this.#connected = connected;
    this.#unsubscribe = connected.onChange((partId) => {
      const watched = this.#watched.get(partId);
      if (watched !== undefined) this.#attach(partId, watched);
    });
  }

  /** The state that the part reported last; undefined if it is offline, or if nobody watches it. */
  latest(partId: string): WatchResponse | undefined {
    return this.#watched.get(partId)?.latest;
  }

  /** Calls back whenever {@link latest} has changed. Returns an unsubscribe function. */
  watch(partId: string, listener: () => void): () => void {
    let watched = this.#watched.get(partId);
    if (watched === undefined) {
      watched = { changed: new Emitter(), stream: undefined, latest: undefined, end: () => undefined };
      this.#watched.set(partId, watched);
      this.#attach(partId, watched);
    }
    const { changed } = watched;
    const unsubscribe = changed.on(listener);
    return () => {
      unsubscribe();
      if (changed.size > 0 || this.#watched.get(partId)?.changed !== changed) return;
      this.#watched.get(partId)?.end();
      this.#watched.delete(partId);
    };
  }

  close(): void {
    this.#unsubscribe();
    for (const watched of this.#watched.values()) watched.end();
    this.#watched.clear();
  }

  #attach(partId: string, watched: Watched): void {
    const stream = this.#connected.get(partId);
    if (watched.stream === stream) return;
    watched.end();
    watched.stream = stream;
    watched.latest = undefined;
    watched.end = () => undefined;
    if (stream !== undefined) void this.#follow(stream, watched);
    watched.changed.emit();
  }

  /** Never rejects. */
  async #follow(stream: PartStream, watched: Watched): Promise<void> {
    const states = stream.follow(ConfigServiceDefinition, 'watch', { partId: '' });
    let hasEnded = false;
    watched.end = () => {
      hasEnded = true;
      void states.return(undefined).catch(() => undefined);
    };
    try {
      for await (const state of states) {
        if (hasEnded) return;
        watched.latest = state;
        watched.changed.emit();
      }
    } catch {
      // The part has disconnected; it is watched again when it is back.
    }
  }
}
