import type { Epoch } from '../../jobs/training-jobs.ts';

/** A message from a script to its runner. */
export type ScriptMessage =
  | { readonly kind: 'progress'; readonly epoch: Epoch }
  /** Why it is about to fail, as a sentence. */
  | { readonly kind: 'failure'; readonly message: string };

/** Beginning of the lines of standard output that carry JSON (scripts/report.py). */
const PREFIX = '@training ';
const MAX_METRICS = 50;

/** Reads a message; undefined for a line of the log, even if it looks similar to a message. */
export function scriptMessage(line: string): ScriptMessage | undefined {
  if (!line.startsWith(PREFIX)) return undefined;
  let message: unknown;
  try {
    message = JSON.parse(line.slice(PREFIX.length));
  } catch {
    return undefined;
  }
  const { progress, failure } = recordOf(message);
  if (failure !== undefined) {
    const { message: reason } = recordOf(failure);
    return typeof reason === 'string' ? { kind: 'failure', message: reason } : undefined;
  }
  const { epoch, of, loss, metrics } = recordOf(progress);
  if (!isCount(epoch) || !isCount(of) || !isFiniteNumber(loss)) return undefined;
  const numbers = Object.entries(recordOf(metrics)).filter((entry): entry is [string, number] =>
    isFiniteNumber(entry[1]),
  );
  return { kind: 'progress', epoch: { epoch, of, loss, metrics: Object.fromEntries(numbers.slice(0, MAX_METRICS)) } };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return isFiniteNumber(value) && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}
