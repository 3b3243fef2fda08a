import type { ChildProcess } from 'node:child_process';

/** The reason why none can be started here; undefined where one can. */
export const whyNoPostgres: string | undefined;

/**
 * Starts a separate PostgreSQL server; rejects where it does not answer.
 * @param folder created for its data and its socket
 * @param through a program and its arguments that start the server and are replaced by it (exec)
 */
export function startPostgres(
  folder: string,
  through?: readonly string[],
): Promise<{ readonly address: string; readonly process: ChildProcess; stop(): Promise<void> }>;
