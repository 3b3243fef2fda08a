import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Header, Pack } from 'tar-stream';

type NamedHeader = Partial<Header> & Pick<Header, 'name'>;

/** Adds a file whose content is in memory. */
export function addFile(tar: Pack, header: NamedHeader, content: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry(header, content, (error) => (error == null ? resolve() : reject(error)));
  });
}

/**
 * A gzip of a tar archive, produced at the reader's pace.
 * @param write adds the files, and finalizes
 * @throws errors of `write`
 */
export async function* tarGzip(write: (tar: Pack) => Promise<void>): AsyncGenerator<Uint8Array> {
  // Loaded with the first archive, not with each start.
  const { pack } = await import('tar-stream');
  const tar = pack();
  const gzip = createGzip();
  const packing = pipeline(tar, gzip);
  const writing = write(tar).catch((thrown: unknown) => {
    tar.destroy(thrown as Error);
    throw thrown;
  });
  // The failure is thrown below; the other rejection must not go unhandled.
  packing.catch(() => undefined);
  writing.catch(() => undefined);
  try {
    for await (const chunk of gzip) yield chunk as Uint8Array;
  } catch (thrown) {
    await writing;
    throw thrown;
  } finally {
    tar.destroy(new Error('nobody takes it any more'));
    gzip.destroy();
  }
  await writing;
  await packing;
}
