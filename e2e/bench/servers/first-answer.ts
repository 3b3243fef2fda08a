import type { ChildProcess } from 'node:child_process';

const BETWEEN_TRIES_MS = 2;

/**
 * Asks a starting server again and again until it answers, and gives the time
 * of that answer by `performance.now()`. Peers are asked in the same way, which
 * is why a server's own announcement does not count.
 * @throws when it ends or does not answer within `limitMs`
 */
export async function firstAnswer(child: ChildProcess, ask: () => Promise<boolean>, limitMs: number): Promise<number> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2_000)));
  const endAt = performance.now() + limitMs;
  for (;;) {
    // Nobody listens yet, or not to this: the next try will tell.
    if (await ask().catch(() => false)) return performance.now();
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server ended:\n${errors}`);
    if (performance.now() > endAt) throw new Error(`no answer within ${limitMs} ms:\n${errors}`);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
  }
}
