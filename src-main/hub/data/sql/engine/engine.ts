import type * as DuckDB from '@duckdb/node-api';

/** The package that runs SQL, which may not be there: its types are, and it is loaded by its name. */
export type Engine = typeof DuckDB;

/** @throws what the loading of a module throws, where it is not installed or not made for this computer */
export async function loadEngine(name: string): Promise<Engine> {
  return (await import(/* @vite-ignore */ name)) as Engine;
}
