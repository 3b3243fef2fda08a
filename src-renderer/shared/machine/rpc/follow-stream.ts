import type { MachineConnection } from '../machine.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;

export interface StreamFollower<T> {
  readonly connection: MachineConnection;
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  readonly onItem: (item: T) => void;
  /** Why the stream broke although the connection is up; '' when it is open again. */
  readonly onProblem: (message: string) => void;
}

/**
 * Keeps one stream open: opens it whenever there is a connection, and reopens it,
 * after a growing delay, when it ends while the connection is up. Each stream must
 * start with the full state. Returns a function that ends the stream for good.
 */
export function followStream<T>(follower: StreamFollower<T>): () => void {
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delayMs = FIRST_DELAY_MS;

  async function run(own: AbortController): Promise<void> {
    let message = '';
    try {
      let isFirst = true;
      for await (const item of follower.open(own.signal)) {
        if (own.signal.aborted) return;
        if (isFirst) {
          isFirst = false;
          delayMs = FIRST_DELAY_MS;
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
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
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
      delayMs = FIRST_DELAY_MS;
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

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
