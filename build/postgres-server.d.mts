import type { ChildProcess } from 'node:child_process';

/** Why none can be started here; undefined where one can. */
export const whyNoPostgres: string | undefined;

/**
 * Starts a PostgreSQL of its own; rejects where it does not answer.
 * @param folder that it makes, with its data and its socket
 * @param through a program and its arguments that run the server and become it
 */
export function startPostgres(
  folder: string,
  through?: readonly string[],
): Promise<{ readonly address: string; readonly process: ChildProcess; stop(): Promise<void> }>;
