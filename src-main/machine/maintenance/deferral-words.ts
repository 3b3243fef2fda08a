import type { Deferred, Outcome } from '../config-state.ts';

/** How a text that waits fares: `at` stays that of its storing, since it is the same wait whatever the sensor says. */
export function deferredOutcome(revision: string, deferred: Deferred): Outcome {
  const { reason, since, plan } = deferred;
  const what = reason === '' ? 'maintenance to be allowed' : reason;
  const message = `Waiting for ${what}, since ${new Date(since).toISOString()}: ${plan.summary}`;
  return { kind: 'deferred', revision, message, at: since, deferred };
}

/** Why a text that waited is never in force. */
export function replacedMessage(by: string, isRunning: boolean): string {
  return isRunning
    ? 'Taken back before maintenance was allowed; the machine goes on with what it runs.'
    : `Configuration ${by} took its place before maintenance was allowed.`;
}
