import path from 'node:path';
import { rolldown } from 'rolldown';
import type { Plugin } from 'vite';
import { lean } from './lean-bundle.ts';

/** `new URL('./name.ts', import.meta.url)`: how our code refers to the file that a thread or another process runs. */
const threadFile = /new URL\(\s*(["'])(\.[^"']+-(?:thread|process)\.ts)\1\s*,\s*import\.meta\.url\s*\)/g;
const placeholder = /__THREAD_FILE_([^"]+)__/g;

/** How one file of the bundle refers to another in `new URL(..., import.meta.url)`. */
export function relativeName(from: string, to: string): string {
  const relative = path.posix.relative(path.posix.dirname(from), to);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/**
 * Bundles each file that runs in a thread, or in a separate process, with all its imports, and rewrites the references
 * to it. These bundles share no chunk with the program, because a thread would load the whole chunk for the little it
 * uses. When tests run from source, the same expression refers to the source file.
 * @param external modules that are not bundled, by name
 */
export function threadFiles(external: readonly string[]): Plugin {
  const references = new Map<string, string>();
  return {
    name: 'thread-files',
    buildStart() {
      references.clear();
    },
    async transform(code, id) {
      const files = [...code.matchAll(threadFile)].map(([, , file = '']) => file);
      if (files.length === 0) return undefined;
      for (const file of files) {
        const target = path.resolve(path.dirname(id), file);
        if (references.has(target)) continue;
        const { source, map, from } = await bundled(target, external);
        const name = path.basename(file, '.ts');
        // Next to the chunks, so that a thread finds the same files as the program.
        const reference = this.emitFile({ type: 'asset', name: `${name}.js`, source });
        references.set(target, reference);
        this.emitFile({ type: 'asset', fileName: `${this.getFileName(reference)}.map`, source: map });
        for (const one of from) this.addWatchFile(one);
      }
      const changed = code.replace(threadFile, (_whole, _quote, file: string) => {
        const reference = references.get(path.resolve(path.dirname(id), file)) ?? '';
        return `new URL("__THREAD_FILE_${reference}__", import.meta.url)`;
      });
      return { code: changed, map: null };
    },
    renderChunk(code, chunk) {
      if (!code.includes('__THREAD_FILE_')) return undefined;
      const named = code.replace(placeholder, (_whole, reference: string) =>
        relativeName(chunk.fileName, this.getFileName(reference)),
      );
      return { code: named, map: null };
    },
  };
}

/** Bundles one file as a single script, and returns it with the files that it consists of. */
async function bundled(
  input: string,
  external: readonly string[],
): Promise<{ readonly source: string; readonly map: string; readonly from: readonly string[] }> {
  const bundle = await rolldown({ input, external: [...external], platform: 'node', logLevel: 'warn' });
  try {
    const { output } = await bundle.generate({ format: 'esm', sourcemap: true, codeSplitting: false });
    const [chunk] = output;
    return { source: lean(chunk.code), map: chunk.map?.toString() ?? '', from: await bundle.watchFiles };
  } finally {
    await bundle.close();
  }
}
