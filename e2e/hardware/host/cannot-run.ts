/** The virtual bench is not available on this computer; the message says why and what helps. */
export class CannotRun extends Error {}
