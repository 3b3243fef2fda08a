import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

/** An entry of an archive as a test writes it. */
export interface TestEntry extends Partial<Header> {
  readonly name: string;
  readonly content?: string | Buffer;
}

/** A `.tar.gz` of these entries, valid or not. */
export async function archiveOf(entries: readonly TestEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content = '', ...header } of entries) {
    const bytes = Buffer.from(content as string);
    archive.entry({ mode: 0o644, size: bytes.length, ...header }, bytes);
  }
  archive.finalize();
  return gzipSync(await buffer(archive));
}

/** The entries of a module's package that prints `text` and ends. */
export function moduleEntries(moduleId: string, text = 'hello', meta: object = {}): TestEntry[] {
  const description = { module_id: moduleId, entrypoint: 'bin/run', ...meta };
  return [
    { name: 'meta.json', content: JSON.stringify(description) },
    { name: 'bin/run', mode: 0o755, content: `#!/bin/sh\necho ${text}\n` },
  ];
}
