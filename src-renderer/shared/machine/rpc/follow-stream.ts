import type { MachineConnection } from '../machine.ts';

const firstDelayMs = 500;
const longestDelayMs = 10_000;

export interface StreamFollower<T> {
  readonly connection: MachineConnection;
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  readonly onItem: (item: T) => void;
  /** The stream broke while the connection holds; '' when it is open again. */
  readonly onProblem: (message: string) => void;
}

/**
 * Keeps one stream open: opens it whenever there is a connection, and again,
 * after a growing delay, when it ends while the connection holds. A stream
 * starts with everything, so nothing is carried over. Returns a function that ends it.
 */
export function followStream<T>(follower: StreamFollower<T>): () => void {
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delayMs = firstDelayMs;

  async function run(own: AbortController): Promise<void> {
    let message = '';
    try {
      let isFirst = true;
      for await (const item of follower.open(own.signal)) {
        if (own.signal.aborted) return;
        if (isFirst) {
          isFirst = false;
          delayMs = firstDelayMs;
          follower.onProblem('');
        }
        follower.onItem(item);
      }
    } catch (thrown) {
      message = messageOf(thrown);
    }
    if (own.signal.aborted) return;
    if (message !== '') follower.onProblem(message);
    timer = setTimeout(start, delayMs);
    delayMs = Math.min(delayMs * 2, longestDelayMs);
  }

  function start(): void {
    halt();
    current = new AbortController();
    void run(current);
  }

  function halt(): void {
    clearTimeout(timer);
    current?.abort();
    current = undefined;
  }

  let isConnected = false;
  const unsubscribe = follower.connection.subscribe((connection) => {
    const wasConnected = isConnected;
    isConnected = connection.kind === 'connected';
    if (isConnected && !wasConnected) {
      delayMs = firstDelayMs;
      start();
    } else if (!isConnected && wasConnected) {
      halt();
    }
  });
  return () => {
    unsubscribe();
    halt();
  };
}

/** The sentence of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
