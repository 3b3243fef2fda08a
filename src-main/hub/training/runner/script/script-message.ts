import type { Epoch } from '../../jobs/training-jobs.ts';

/** What a script tells its runner, beside its log. */
export type ScriptMessage =
  | { readonly kind: 'progress'; readonly epoch: Epoch }
  /** Why it is about to end, for people. */
  | { readonly kind: 'failure'; readonly message: string };

/** Lines of standard output that begin so carry JSON (scripts/report.py). */
const PREFIX = '@training ';
const MOST_METRICS = 50;

/** Undefined for a line of the log, also one that only looks like a message. */
export function scriptMessage(line: string): ScriptMessage | undefined {
  if (!line.startsWith(PREFIX)) return undefined;
  let told: unknown;
  try {
    told = JSON.parse(line.slice(PREFIX.length));
  } catch {
    return undefined;
  }
  const { progress, failure } = recordOf(told);
  if (failure !== undefined) {
    const { message } = recordOf(failure);
    return typeof message === 'string' ? { kind: 'failure', message } : undefined;
  }
  const { epoch, of, loss, metrics } = recordOf(progress);
  if (!isCount(epoch) || !isCount(of) || !isFiniteNumber(loss)) return undefined;
  const numbers = Object.entries(recordOf(metrics)).filter((entry): entry is [string, number] =>
    isFiniteNumber(entry[1]),
  );
  return { kind: 'progress', epoch: { epoch, of, loss, metrics: Object.fromEntries(numbers.slice(0, MOST_METRICS)) } };
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
