const SQLITE_BUSY = 5;

/** Whether an SQLite error means that another connection holds the database (sqlite.org/rescode.html). */
export function isBusy(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  // The low byte is the primary code, the others extend it.
  return typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY;
}
