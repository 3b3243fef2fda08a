import { shortNameOf } from '../../../proto/config/names.ts';
import type { Unready } from './trial.ts';
import type { Deferred, Outcome } from './config-state.ts';

/** Maximum lines of a message about many resources; the status of each resource has the rest. */
const MAX_LINES = 5;

/** Joins lines about resources into one, cut short if there are many. */
export function inOneLine(lines: readonly string[], separator = '; '): string {
  const more = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
}

/**
 * `bench: no answer; wheel: being built; waiting for those: left, right`. Resources that wait for another one are only
 * named.
 */
export function unreadyLines(unready: readonly Unready[]): string {
  const waits = ({ reason }: Unready): boolean =>
    unready.some((other) => other.reason !== reason && reason.includes(other.reason));
  const lines = unready.filter((one) => !waits(one)).map((one) => `${nameOf(one)}: ${one.reason.replace(/\.$/, '')}`);
  const waiting = unready.filter(waits).map(nameOf);
  return (
    inOneLine(lines) +
    (waiting.length > 0 ? `; waiting for ${lines.length === 1 ? 'it' : 'those'}: ${inOneLine(waiting, ', ')}` : '')
  );
}

function nameOf({ name }: Unready): string {
  return shortNameOf(name);
}

/**
 * What was not ready, and why: `left was not ready in 30 s: its board failed`.
 * @param what after "not": `ready in 30 s`
 */
export function unreadySentence(unready: readonly Unready[], what: string): string {
  const [first] = unready;
  if (unready.length === 1 && first !== undefined) {
    return `${nameOf(first)} was not ${what}: ${first.reason}`;
  }
  return `${unready.length} resources were not ${what}: ${unreadyLines(unready)}`;
}

/**
 * The outcome of a deferred text. `at` stays the time at which it was stored, even when the sensor's answer changes.
 */
export function deferredOutcome(revision: string, deferred: Deferred): Outcome {
  const { reason, since, plan } = deferred;
  const what = reason === '' ? 'maintenance to be allowed' : reason;
  const message = `Waiting for ${what}, since ${new Date(since).toISOString()}: ${plan.summary}`;
  return { kind: 'deferred', revision, message, at: since, deferred };
}

/** Why a deferred text is never applied. */
export function replacedMessage(by: string, isRunning: boolean): string {
  return isRunning
    ? 'Withdrawn before maintenance was allowed; the machine keeps what it runs.'
    : `Configuration ${by} replaced it before maintenance was allowed.`;
}
