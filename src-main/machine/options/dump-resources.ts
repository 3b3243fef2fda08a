import { chmod, writeFile } from 'node:fs/promises';
import { ArmatureError } from '../../base/errors.ts';
import type { ModelDescription } from '../catalog/model.ts';

/**
 * Writes every model with the schema of its attributes as a JSON array, sorted by API, then by
 * model, readable by its owner only. Throws `file.unwritable`.
 */
export async function dumpResources(path: string, models: Iterable<ModelDescription>): Promise<void> {
  const entries = [...models]
    .map(({ api, model, schema }) => ({ api, model, attribute_schema: schema }))
    .sort((a, b) => compare(a.api, b.api) || compare(a.model, b.model));
  try {
    await writeFile(path, `${JSON.stringify(entries, undefined, '\t')}\n`, { mode: 0o600 });
    // An existing file keeps its mode when it is written.
    await chmod(path, 0o600);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ArmatureError(
      'file.unwritable',
      `The list of resources cannot be written to ${path}: ${reason}. Name another file with -dump-resources.`,
      { details: { path }, cause: thrown },
    );
  }
}

/** By code unit: the same order on every computer. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
