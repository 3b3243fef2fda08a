import type { Clock } from '../../base/clock.ts';

/** How a piece of work with a deadline ended. `late`: it had not settled in time; it may still run. */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly thrown: unknown }
  | { readonly kind: 'late' };

/** Runs `work` and waits for it at most `timeoutMs`. Never rejects, also where `work` throws at once. */
export function withDeadline<T>(work: () => Promise<T>, timeoutMs: number, clock: Clock): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const timer = clock.after(timeoutMs, () => resolve({ kind: 'late' }));
    const settle = (outcome: Outcome<T>): void => {
      timer.cancel();
      resolve(outcome);
    };
    void attempt(work).then(
      (value) => settle({ kind: 'done', value }),
      (thrown: unknown) => settle({ kind: 'failed', thrown }),
    );
  });
}

/** A promise of what `work` returns, also where it throws before it returns one. */
export async function attempt<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

/** The sentence in anything that was thrown. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  return `it threw ${describeValue(thrown)}`;
}

function describeValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    // A circle, a BigInt: its type is all that can be said about it.
    return typeof value;
  }
}
