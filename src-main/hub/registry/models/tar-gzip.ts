import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Pack } from 'tar-stream';

/**
 * A gzip of a tar archive, made at the pace of whoever takes it.
 * @param write adds the files, and finalizes
 * @throws what `write` throws
 */
export async function* tarGzip(write: (tar: Pack) => Promise<void>): AsyncGenerator<Uint8Array> {
  // Loaded with the first package, not with each hub.
  const { pack } = await import('tar-stream');
  const tar = pack();
  const gzip = createGzip();
  const packing = pipeline(tar, gzip);
  const writing = write(tar).catch((thrown: unknown) => {
    tar.destroy(thrown as Error);
    throw thrown;
  });
  // Whichever fails is thrown below; the other is heard of too.
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
