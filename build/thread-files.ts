import path from 'node:path';
import type { Plugin } from 'vite';

/** `new URL('./name.ts', import.meta.url)`: how our code names the file that a thread or another process runs. */
const threadFile = /new URL\(\s*(["'])(\.[^"']+-(?:thread|process)\.ts)\1\s*,\s*import\.meta\.url\s*\)/g;
const placeholder = /__THREAD_FILE_([^"]+)__/g;

/** How one file of the bundle names another one in `new URL(..., import.meta.url)`. */
export function relativeName(from: string, to: string): string {
  const relative = path.posix.relative(path.posix.dirname(from), to);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/**
 * Files that run in threads, or in processes of their own, become entries of the
 * bundle, and whoever starts one names what it has become. From the source, as tests run it, the same
 * expression names the source.
 */
export function threadFiles(): Plugin {
  return {
    name: 'thread-files',
    transform(code, id) {
      if (!code.includes('-thread.ts') && !code.includes('-process.ts')) return undefined;
      const changed = code.replace(threadFile, (_whole, _quote, file: string) => {
        const target = path.resolve(path.dirname(id), file);
        const reference = this.emitFile({ type: 'chunk', id: target, name: path.basename(file, '.ts') });
        return `new URL("__THREAD_FILE_${reference}__", import.meta.url)`;
      });
      return changed === code ? undefined : { code: changed, map: null };
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
