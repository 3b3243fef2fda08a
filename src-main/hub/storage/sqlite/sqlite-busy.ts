const SQLITE_BUSY = 5;

/** Whether a failure of SQLite says that another connection holds the database (sqlite.org/rescode.html). */
export function isBusy(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  // The lower byte is the kind, the others say more of it.
  return typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY;
}
