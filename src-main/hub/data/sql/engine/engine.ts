import type * as DuckDB from '@duckdb/node-api';

/** The package that runs SQL. It may not be installed, so only its types are imported, and it is loaded by its name. */
export type Engine = typeof DuckDB;

/** @throws the error of `import()` if the package is not installed, or not made for this platform */
export async function loadEngine(name: string): Promise<Engine> {
  return (await import(/* @vite-ignore */ name)) as Engine;
}
