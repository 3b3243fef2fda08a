import path from 'node:path';

/** The bundler's information about its modules. */
export interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** A file with all that it imports statically, also indirectly. */
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
 * Puts a file and all of its static imports into one chunk: each file of a bundle is located, read and linked
 * separately, and a start that needs a hundred of them spends a fifth of its time on that.
 * @param files by the names of their chunks, relative to `root`; a module that several import goes into the first chunk
 * @param unused files of which no start uses anything, though a file that one does use imports them. Otherwise all that
 *   the rest of the program uses of them would be in the chunk.
 */
export function startChunks(root: string, files: Readonly<Record<string, string>>, unused: readonly string[] = []) {
  const without = new Set(unused.map((file) => path.resolve(root, file)));
  let chunks: readonly { readonly name: string; readonly modules: ReadonlySet<string> }[] | undefined;
  return {
    // A chunk would take the imports of its files with it, also those that another chunk comes first for.
    includeDependenciesRecursively: false,
    groups: [
      {
        name: (id: string, modules: Modules): string | null => {
          chunks ??= Object.entries(files).map(([name, file]) => ({
            name,
            modules: withImports(path.resolve(root, file), modules),
          }));
          if (without.has(id)) return null;
          return chunks.find((chunk) => chunk.modules.has(id))?.name ?? null;
        },
      },
    ],
  };
}
