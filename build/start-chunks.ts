import path from 'node:path';

/** What the bundler tells of its modules. */
export interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** A file with all that it imports before it runs. */
function withImports(entry: string, modules: Modules): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [entry];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

/**
 * Puts all that a file imports before it runs into one chunk: each file of a bundle is looked for, read and linked by
 * itself, and a start that needs a hundred of them spends a fifth of its time on that.
 * @param files by the names of their chunks, relative to `root`; what several import is in the first of them
 */
export function startChunks(root: string, files: Readonly<Record<string, string>>) {
  let chunks: readonly { readonly name: string; readonly modules: ReadonlySet<string> }[] | undefined;
  return {
    groups: [
      {
        name: (id: string, modules: Modules): string | null => {
          chunks ??= Object.entries(files).map(([name, file]) => ({
            name,
            modules: withImports(path.resolve(root, file), modules),
          }));
          return chunks.find((chunk) => chunk.modules.has(id))?.name ?? null;
        },
      },
    ],
  };
}
