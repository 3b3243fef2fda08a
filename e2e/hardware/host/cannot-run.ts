/** The virtual bench cannot be had on this computer: a sentence that says why and what helps. */
export class CannotRun extends Error {}
