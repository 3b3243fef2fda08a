/** Limits of dashboards, for whoever keeps them and for the window that makes them. */

/** Most dashboards of a part. */
export const MAX_DASHBOARDS = 50;
/** Largest dashboard, as a message. */
export const MAX_DASHBOARD_BYTES = 64 * 1024;
export const MAX_NAME_LENGTH = 60;
export const COLUMNS = 4;
/** Most rows of a tile; 0 rows are as many as its content needs. */
export const MAX_ROWS = 24;
/** Most tiles of a dashboard: each may hold a card, which a page draws and polls. */
export const MAX_TILES = 100;
/** Most readings of one plot. */
export const MAX_PLOT_READINGS = 8;

const LINE_BREAK_OR_CONTROL = /[\u0000-\u001f\u007f\u2028\u2029]/;

/** What is wrong with a trimmed name, and what is allowed; '' if nothing. */
export function nameProblem(name: string): string {
  const allowed = `it has 1 to ${MAX_NAME_LENGTH} characters and no line breaks`;
  const isAllowed = name !== '' && [...name].length <= MAX_NAME_LENGTH && !LINE_BREAK_OR_CONTROL.test(name);
  return isAllowed ? '' : `The name "${name.slice(0, 120)}" of the dashboard is not allowed: ${allowed}.`;
}

/** Whether two names are the same for people. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
