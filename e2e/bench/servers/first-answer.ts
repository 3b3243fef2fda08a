import type { ChildProcess } from 'node:child_process';

const BETWEEN_TRIES_MS = 2;

/**
 * Polls a starting server until it answers, and returns the time of that answer by `performance.now()`. Peers are
 * polled in the same way, so a server's own announcement does not count.
 * @throws when it ends or does not answer within `limitMs`
 */
export async function firstAnswer(child: ChildProcess, ask: () => Promise<boolean>, limitMs: number): Promise<number> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2_000)));
  const endAt = performance.now() + limitMs;
  for (;;) {
    // It does not listen yet, or not for this call: retries.
    if (await ask().catch(() => false)) return performance.now();
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server ended:\n${errors}`);
    if (performance.now() > endAt) throw new Error(`no answer within ${limitMs} ms:\n${errors}`);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
  }
}
