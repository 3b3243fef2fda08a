/** Long enough for a slow machine, short enough that nobody waits for a lost answer. */
const callTimeoutMs = 15_000;

export const stopTimeoutMs = 5_000;
export const quick = { timeoutMs: callTimeoutMs };
/** The machine that answers, not a part of a fleet. */
export const partId = '';
